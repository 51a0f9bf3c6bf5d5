package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** What {@code /proc} says about this process or another one. */
public final class ProcSelf {
  private static final long TICKS_PER_SECOND = 100;
  private static final int FIELDS_BEFORE_STATE = 2;

  private ProcSelf() {}

  /**
   * Returns a size that {@code /proc/PID/status} gives, such as {@code VmLck} or {@code RssAnon}.
   *
   * @param pid the process
   * @param name the line's name
   * @return bytes
   */
  public static long statusBytes(long pid, String name) {
    return Long.parseLong(status(pid, name).split(" ", 2)[0]) * 1024;
  }

  /**
   * Returns the number of a process's threads.
   *
   * @param pid the process
   * @return the count
   */
  public static int threadCount(long pid) {
    return Integer.parseInt(status(pid, "Threads"));
  }

  /**
   * Returns the bytes that this process has locked in memory.
   *
   * @return bytes
   */
  public static long lockedBytes() {
    return statusBytes(ProcessHandle.current().pid(), "VmLck");
  }

  /**
   * Skips the test where the machine has not so much memory to give away.
   *
   * @param bytes how much the test takes
   */
  public static void assumeMemory(long bytes) {
    long available = availableMemory();
    Assumptions.assumeTrue(
        available >= bytes,
        () -> "skipped: needs " + bytes + " bytes of memory, there are " + available);
  }

  private static long availableMemory() {
    try {
      return Files.readAllLines(Path.of("/proc/meminfo")).stream()
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the processor time that a process has used, with all its threads.
   *
   * @param pid the process
   * @return user and system time
   */
  public static Duration cpuTime(long pid) {
    String[] fields = statFields(pid);
    long ticks = Long.parseLong(fields[14 - 1 - FIELDS_BEFORE_STATE]);
    ticks += Long.parseLong(fields[15 - 1 - FIELDS_BEFORE_STATE]);
    return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
  }

  /**
   * Returns the state letter of a process: {@code Z} for one that has ended and was not waited for.
   *
   * @param pid the process
   * @return the letter, {@code X} when there is no such process
   */
  public static char state(long pid) {
    return Files.exists(Path.of("/proc/" + pid)) ? statFields(pid)[0].charAt(0) : 'X';
  }

  /**
   * Returns whether every thread of a process is stopped by a signal, or gone.
   *
   * @param pid the process
   * @return false while one of them can still do something
   */
  public static boolean standsStill(long pid) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return threads.allMatch(thread -> "TtZX".indexOf(stateOf(thread)) >= 0);
    } catch (IOException e) {
      return true; // the process is gone
    }
  }

  private static char stateOf(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return 'X'; // it has ended
    }
  }

  /**
   * Returns the process group of a process.
   *
   * @param pid the process
   * @return the group's id, -1 when there is no such process
   */
  public static long processGroup(long pid) {
    try {
      return Long.parseLong(statFields(pid)[5 - 1 - FIELDS_BEFORE_STATE]);
    } catch (UncheckedIOException e) {
      return -1;
    }
  }

  /**
   * Lists the open descriptors of this process.
   *
   * @return from number to what it leads to
   */
  public static Map<Integer, String> descriptors() {
    return descriptors(ProcessHandle.current().pid());
  }

  /**
   * Lists the open descriptors of a process.
   *
   * @param pid the process
   * @return from number to what it leads to
   */
  public static Map<Integer, String> descriptors(long pid) {
    Map<Integer, String> found = new TreeMap<>();
    try (Stream<Path> links = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      links.forEach(
          link -> {
            try {
              found.put(
                  Integer.parseInt(link.getFileName().toString()),
                  Files.readSymbolicLink(link).toString());
            } catch (NoSuchFileException e) {
              // The descriptor of the listing itself, or one that was closed meanwhile.
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static String status(long pid, String name) {
    return read(pid, "status")
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).trim())
        .findFirst()
        .orElse("0 kB");
  }

  /** The fields behind the command, which may contain anything; the first one is the state. */
  private static String[] statFields(long pid) {
    String stat = read(pid, "stat");
    return stat.substring(stat.lastIndexOf(')') + 2).trim().split(" ", -1);
  }

  private static String read(long pid, String file) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/" + file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
