package dev.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * How a JVM is started that decodes on one thread beside others that do the same. It keeps off the
 * processors of the others what it can.
 */
final class DecodingJvm {
  /*
   * The optimizing compiler takes long for this one method of the JDK, again for each kind of picture
   * that it had not seen before, and in every worker. Beyond so many nodes it gives up early, and the
   * method stays as the fast compiler made it.
   */
  private static final String LONG_METHOD =
      "-XX:CompileCommand=MaxNodeLimit,com.sun.imageio.plugins.png.PNGImageReader::decodePass,5000";

  private DecodingJvm() {}

  /**
   * Returns the arguments.
   *
   * @param given what the user adds, which comes last
   */
  static String[] arguments(List<String> given) {
    List<String> all = new ArrayList<>();
    all.add("-Djava.awt.headless=true");
    all.add("-XX:CompileCommand=quiet");
    all.add(LONG_METHOD);
    if (given.stream().noneMatch(argument -> argument.matches("-XX:\\+Use\\w+GC"))) {
      all.add("-XX:+UseSerialGC"); // a collector with threads of its own gains nothing here
    }
    all.addAll(given);
    return all.toArray(String[]::new);
  }
}
