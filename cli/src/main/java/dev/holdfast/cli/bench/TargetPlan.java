package dev.holdfast.cli.bench;

import java.time.Duration;

/**
 * What is measured for the targets, how long that may take, and how good the figures have to be.
 *
 * @param smallBytes the size of the items in a map
 * @param unitBytes the size of the usual units that are filled in place
 * @param largeBytes the size of the items that are compared with plain copies
 * @param hugeBytes the size of the huge units that are filled in place
 * @param busyThreads threads that spin beside one of the cells
 * @param items items in each pass, or 0 for a number that fits
 * @param longest what all cells may take together; those that no time is left for have no answer
 * @param limits how good the figures have to be
 */
public record TargetPlan(
    long smallBytes,
    long unitBytes,
    long largeBytes,
    long hugeBytes,
    int busyThreads,
    int items,
    Duration longest,
    TargetLimits limits) {
  /** The targets of the project. All is done within ten minutes, the last cell's end included. */
  public static final TargetPlan PROJECT =
      new TargetPlan(
          64L << 10,
          1L << 20,
          32L << 20,
          64L << 20,
          64,
          0,
          Duration.ofSeconds(570),
          TargetLimits.PROJECT);
}
