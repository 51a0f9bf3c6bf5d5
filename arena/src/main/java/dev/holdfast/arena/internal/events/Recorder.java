package dev.holdfast.arena.internal.events;

import jdk.jfr.FlightRecorder;

/**
 * Whether anybody could be recording. Asked before an event is made: the first event of a JVM sets
 * up the Flight Recorder, a tenth of a second of processor time that each worker would spend at its
 * start for nobody.
 */
public final class Recorder {
  private Recorder() {}

  /**
   * Returns whether the Flight Recorder was started in this JVM, by whatever way: option, jcmd,
   * JMX, or code.
   *
   * @return true once it was
   */
  public static boolean isThere() {
    return FlightRecorder.isInitialized();
  }
}
