package dev.holdfast.cli.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a JVM is started that decodes on one thread beside others that do the same. It keeps off the
 * processors of the others what it can.
 *
 * <p>Most of a picture's time is spent in the JDK's native code. What the optimizing compiler takes
 * for all of the rest, in every worker anew, it gives back only after dozens of passes over some
 * hundred pictures. A few loops are worth it after some passes. They are named in a file that the
 * launcher knows; without it and in short runs there are none. Nothing is chosen where the user
 * chooses compilers.
 */
final class DecodingJvm {
  /** A system property: the file that names the loops of decoding. */
  private static final String LOOPS = "holdfast.demo.loops";

  /** In shorter runs an optimized loop does not earn what its compilation takes. */
  private static final int LONG_RUN_EPOCHS = 4;

  private static final String CHOICE_OF_COLLECTOR = "-XX:\\+Use\\w+GC";
  private static final String CHOICE_OF_COMPILERS =
      "-XX:(TieredStopAtLevel|.TieredCompilation|CompilationMode|CompilerDirectivesFile)\\b.*";

  private DecodingJvm() {}

  /**
   * Returns the arguments.
   *
   * @param epochs how long the run is
   * @param given what the user adds, which comes last
   */
  static String[] arguments(int epochs, List<String> given) {
    List<String> all = new ArrayList<>();
    all.add("-Djava.awt.headless=true");
    if (hasNone(given, CHOICE_OF_COLLECTOR)) {
      all.add("-XX:+UseSerialGC"); // a collector with threads of its own gains nothing here
    }
    if (hasNone(given, CHOICE_OF_COMPILERS)) {
      String loops = System.getProperty(LOOPS);
      if (epochs >= LONG_RUN_EPOCHS && loops != null && Files.isReadable(Path.of(loops))) {
        all.addAll(optimizing(loops));
      } else {
        all.add("-XX:TieredStopAtLevel=1");
      }
    }
    all.addAll(given);
    return all.toArray(String[]::new);
  }

  private static boolean hasNone(List<String> arguments, String pattern) {
    return arguments.stream().noneMatch(argument -> argument.matches(pattern));
  }

  /**
   * The thresholds bring hot code early to the optimizing compiler, which takes the loops and
   * leaves the rest for good to the other one. Each worker would say that there are directives: its
   * JVM's output is not shown, and with that no thread dump, but warnings and crash reports are.
   * {@code -XX:+DisplayVMOutput} shows all again.
   */
  private static List<String> optimizing(String loops) {
    return List.of(
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:CompilerDirectivesFile=" + loops,
        "-XX:-DisplayVMOutput",
        "-XX:Tier4InvocationThreshold=500",
        "-XX:Tier4MinInvocationThreshold=100",
        "-XX:Tier4CompileThreshold=1000",
        "-XX:Tier4BackEdgeThreshold=4000");
  }
}
