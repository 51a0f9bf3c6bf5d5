package dev.holdfast.loader.internal.launch;

import java.util.Map;

/** Names signals in exit codes: 128 and the signal's number, as the JDK and shells report them. */
final class Signals {
  private static final int BASE = 128;
  private static final int OUT_OF_MEMORY_KILL = 137;
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "SIGHUP"),
          Map.entry(2, "SIGINT"),
          Map.entry(3, "SIGQUIT"),
          Map.entry(4, "SIGILL"),
          Map.entry(5, "SIGTRAP"),
          Map.entry(6, "SIGABRT"),
          Map.entry(7, "SIGBUS"),
          Map.entry(8, "SIGFPE"),
          Map.entry(9, "SIGKILL"),
          Map.entry(10, "SIGUSR1"),
          Map.entry(11, "SIGSEGV"),
          Map.entry(12, "SIGUSR2"),
          Map.entry(13, "SIGPIPE"),
          Map.entry(14, "SIGALRM"),
          Map.entry(15, "SIGTERM"),
          Map.entry(24, "SIGXCPU"),
          Map.entry(25, "SIGXFSZ"),
          Map.entry(31, "SIGSYS"));

  private Signals() {}

  /** Returns the signal's name, or an empty string when the code is none of a signal. */
  static String ofExitCode(int code) {
    return NAMES.getOrDefault(code - BASE, "");
  }

  /** Returns what to do about a process that ended with this code. */
  static String advice(int code) {
    return switch (code) {
      case 0 -> "it ended by itself in the middle of its work; look for System.exit in the source";
      case OUT_OF_MEMORY_KILL ->
          "perhaps the system or its cgroup ran out of memory and killed it; look into the kernel"
              + " log";
      default -> "look at what it wrote last";
    };
  }
}
