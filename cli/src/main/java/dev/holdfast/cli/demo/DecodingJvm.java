package dev.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * How a JVM is started that decodes on one thread beside others that do the same. It keeps off the
 * processors of the others what it can.
 */
final class DecodingJvm {
  /** A system property: the file that names the loops of decoding, as the launcher knows it. */
  private static final String LOOPS = "holdfast.demo.loops";

  /** In shorter runs an optimized loop does not earn what its compilation takes. */
  private static final int LONG_RUN_EPOCHS = 4;

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
    if (given.stream().noneMatch(argument -> argument.matches("-XX:\\+Use\\w+GC"))) {
      all.add("-XX:+UseSerialGC"); // a collector with threads of its own gains nothing here
    }
    String loops = System.getProperty(LOOPS);
    if (epochs >= LONG_RUN_EPOCHS && loops != null) {
      all.addAll(optimizing(loops));
    } else {
      all.add("-XX:TieredStopAtLevel=1");
    }
    all.addAll(given);
    return all.toArray(String[]::new);
  }

  /**
   * Most of a picture's time is spent in the JDK's native code. What the optimizing compiler takes
   * for all of the rest, in every worker anew, it gives back only after dozens of passes over some
   * hundred pictures. A few loops are worth it after some passes; the thresholds have them, and
   * those that it is not to take, come to it early.
   */
  private static List<String> optimizing(String loops) {
    return List.of(
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:CompilerDirectivesFile=" + loops,
        "-XX:-DisplayVMOutput", // says that there are directives
        "-XX:Tier4InvocationThreshold=500",
        "-XX:Tier4MinInvocationThreshold=100",
        "-XX:Tier4CompileThreshold=1000",
        "-XX:Tier4BackEdgeThreshold=4000");
  }
}
