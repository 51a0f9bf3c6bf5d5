package dev.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * How a JVM is started that decodes on one thread beside others that do the same. It keeps off the
 * processors of the others what it can.
 */
final class DecodingJvm {
  private DecodingJvm() {}

  /**
   * Returns the arguments.
   *
   * @param given what the user adds, which comes last
   */
  static String[] arguments(List<String> given) {
    List<String> all = new ArrayList<>();
    all.add("-Djava.awt.headless=true");
    if (given.stream().noneMatch(argument -> argument.matches("-XX:\\+Use\\w+GC"))) {
      all.add("-XX:+UseSerialGC"); // a collector with threads of its own gains nothing here
    }
    /*
     * Most of a picture's time is spent in the JDK's native code. What the optimizing compiler takes for the
     * rest, in every worker anew, it gives back only after dozens of passes over some hundred pictures.
     */
    all.add("-XX:TieredStopAtLevel=1");
    all.addAll(given);
    return all.toArray(String[]::new);
  }
}
