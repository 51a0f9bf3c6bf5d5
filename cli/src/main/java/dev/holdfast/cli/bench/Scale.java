package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;

/**
 * How this machine compares with the one that the targets were set for: 12 to 14 GiB/s of copying
 * by one thread, and 6 us for a round trip by futex. The part of an item's time that is the copy
 * scales with the first, all other time with the second.
 *
 * @param copyBytesPerSecond what one thread copies here
 * @param roundTripMicros the median round trip by futex here
 */
record Scale(double copyBytesPerSecond, double roundTripMicros) {
  private static final double SLOWEST_COPY = 12 * Sizes.GIB;
  private static final double FASTEST_COPY = 14 * Sizes.GIB;
  private static final double TYPICAL_COPY = 13 * Sizes.GIB;
  private static final double ROUND_TRIP_MICROS = 6;
  private static final double MICROS_PER_SECOND = 1e6;

  /** What makes a machine slower than this is other work, for which a target gives no allowance. */
  private static final double MOST_TIMES_SLOWER = 2;

  /**
   * Returns the scale half way between two that were taken at different times. A round trip that
   * other work made slow counts no more than the slowest one that limits allow for.
   */
  static Scale between(Scale one, Scale other) {
    return new Scale(
        (one.copyBytesPerSecond + other.copyBytesPerSecond) / 2,
        (one.allowedMicros() + other.allowedMicros()) / 2);
  }

  private double allowedMicros() {
    return Math.min(roundTripMicros, MOST_TIMES_SLOWER * ROUND_TRIP_MICROS);
  }

  /** Returns the limit here for a time in which nothing large is copied. */
  double micros(double limit) {
    return limit * allowedMicros() / ROUND_TRIP_MICROS;
  }

  /**
   * Returns the limit here for a rate.
   *
   * @param limit items per second
   * @param copiedBytes what is copied for each item
   */
  double itemsPerSecond(double limit, long copiedBytes) {
    double copy = MICROS_PER_SECOND * copiedBytes / TYPICAL_COPY;
    double rest = MICROS_PER_SECOND / limit - copy;
    return MICROS_PER_SECOND / (copy * copyFactor() + micros(rest));
  }

  /** Returns how many times longer a copy takes here, one within the range of the targets. */
  double copyFactor() {
    double usual = Math.clamp(copyBytesPerSecond, SLOWEST_COPY, FASTEST_COPY);
    return Math.min(usual / copyBytesPerSecond, MOST_TIMES_SLOWER);
  }
}
