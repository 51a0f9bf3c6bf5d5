package dev.holdfast.cli.bench;

/**
 * How good each figure of the targets has to be.
 *
 * @param poolOfMemcpy what a pool moves at least, as a part of what one thread copies
 * @param ringOfMemcpy the same for a ring
 * @param unitsPerSecond units filled in place in a second, at least
 * @param hugeOfUnit the rate of huge units at least, as a part of that of usual ones
 * @param javaItemsPerSecond small items in a second by Java serialization, at least
 * @param compactItemsPerSecond the same by the compact codec
 * @param cpuMicros the consumer's processor time for a small item in microseconds, at most
 * @param busyOfAlone the same beside busy threads at most, as a multiple of that without
 * @param waitPercent what a waiting side takes, in percent of a core; it has to be less
 * @param roundTripMicros the median round trip of an empty item in microseconds, at most
 */
public record TargetLimits(
    double poolOfMemcpy,
    double ringOfMemcpy,
    double unitsPerSecond,
    double hugeOfUnit,
    double javaItemsPerSecond,
    double compactItemsPerSecond,
    double cpuMicros,
    double busyOfAlone,
    double waitPercent,
    double roundTripMicros) {
  /** The targets of the project, for the machine that {@link Scale} describes. */
  static final TargetLimits PROJECT =
      new TargetLimits(0.85, 0.45, 40_000, 0.8, 50_000, 120_000, 8, 1.25, 2, 30);
}
