package dev.holdfast.acceptance.worker;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.Parent;
import java.lang.management.ManagementFactory;
import java.util.Iterator;
import java.util.List;

/** A parent that asks its worker for the options it runs with, and for texts. */
final class OptionsMain {
  /** More letters than any narrow encoding has. */
  static final List<String> TEXTS =
      List.of("Gr\u00fc\u00dfe", "\u65e5\u672c\u8a9e", "\u20ac 5", "\ud83d\ude00", "\ud800 alone");

  private static final long SMALL = 100L << 20;

  private OptionsMain() {}

  /**
   * Runs.
   *
   * @param args whether the worker keeps the options in the environment
   */
  public static void main(String[] args) {
    SubprocessOptions options =
        Workers.options()
            .jvmArgs("-Xmx77m")
            .keepJavaToolOptions(Boolean.parseBoolean(args[0]))
            .build();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(_ -> List.<Object>of(describe(), TEXTS), options)) {
      Iterator<Object> iterator = items.iterator();
      Parent.say("WORKER " + iterator.next());
      Parent.say("TEXTS EQUAL " + (TEXTS.equals(iterator.next()) ? "yes" : "no"));
    }
  }

  private static String describe() {
    return "tool=%s launcher=%s heap=%s %s"
        .formatted(
            System.getProperty("holdfast.test.tool"),
            System.getProperty("holdfast.test.launcher"),
            Runtime.getRuntime().maxMemory() < SMALL ? "small" : "large",
            ManagementFactory.getRuntimeMXBean().getInputArguments());
  }
}
