package dev.holdfast.cli.bench;

import java.util.function.IntConsumer;

/**
 * The passes in which code is compiled: each does what the timed ones do and is longer than the one
 * before, until there were enough items. The time for all of them is limited: a pass has no more
 * items than fit into what is left, at the rate of the one before. Belongs to one thread.
 */
final class Rehearsal {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int FIRST_ITEMS = 4;
  private static final int GROWTH = 8;

  private final CellPasses passes;
  private final IntConsumer announce;
  private final double longestSeconds;
  private double itemsPerSecond;

  /**
   * Makes the rehearsal of a cell that is warmed up.
   *
   * @param announce is told how many items each pass has, before it begins
   * @param longestSeconds the time for all passes
   */
  Rehearsal(CellPasses passes, IntConsumer announce, double longestSeconds) {
    this.passes = passes;
    this.announce = announce;
    this.longestSeconds = longestSeconds;
  }

  /** Runs all passes. Those that no time or no items are left for have one item. */
  void run() throws Exception {
    long begin = passes.nanoTime();
    int left = passes.cell().rehearsalItems();
    int longest = 0;
    double fitting = FIRST_ITEMS;
    for (int pass = 0; pass < CellSpec.REHEARSALS; pass++) {
      int items = (int) Math.clamp(fitting, 1, Math.max(1, left));
      double rate = rate(items);
      left -= items;
      if (items >= longest) {
        longest = items;
        itemsPerSecond = rate;
      }
      double secondsLeft = longestSeconds - secondsSince(begin);
      fitting = Math.min(GROWTH * (double) items, itemsPerSecond * secondsLeft);
    }
  }

  /** Runs one more pass, for code that has to be compiled once more. */
  void again() throws Exception {
    double fitting = itemsPerSecond * longestSeconds;
    var _ = rate((int) Math.clamp(fitting, 1, Math.max(1, passes.cell().rehearsalItems())));
  }

  /** Returns how fast the items of the longest pass came. */
  double itemsPerSecond() {
    return itemsPerSecond;
  }

  private double rate(int items) throws Exception {
    announce.accept(items);
    PassPlan plan = passes.plan();
    long start = passes.nanoTime();
    passes.run(plan);
    return plan.items() / secondsSince(start);
  }

  private double secondsSince(long nanos) {
    return (passes.nanoTime() - nanos) / NANOS_PER_SECOND;
  }
}
