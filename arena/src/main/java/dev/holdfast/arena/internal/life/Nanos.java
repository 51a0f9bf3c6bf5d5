package dev.holdfast.arena.internal.life;

import java.time.Duration;

/** Durations as nanoseconds without overflow. */
public final class Nanos {
  private Nanos() {}

  /**
   * Returns the nanoseconds; {@link Long#MAX_VALUE}, which means no limit, for what does not fit.
   */
  public static long of(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }
}
