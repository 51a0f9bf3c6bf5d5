package dev.holdfast.loader.internal.launch;

import java.time.Duration;

/** Durations in nanoseconds. */
public final class Durations {
  private Durations() {}

  /** Returns a duration in nanoseconds, the most there are when it is longer than 292 years. */
  public static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
