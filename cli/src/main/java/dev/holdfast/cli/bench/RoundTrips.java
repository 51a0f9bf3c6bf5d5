package dev.holdfast.cli.bench;

import org.HdrHistogram.Histogram;

/**
 * Passes of one item each: one item in flight, from the consumer's request to the restored item, by
 * one clock. Those that only warm up are not counted.
 *
 * @param fewest how many are measured at least
 * @param most how many are measured at most
 * @param warmUpNanos how long they run before they are counted
 * @param nanos how long they are counted
 */
record RoundTrips(int fewest, int most, long warmUpNanos, long nanos) {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long LONGEST_NANOS = 60_000 * NANOS_PER_MILLI;
  private static final int DIGITS = 3;

  /** Returns the round trips of a cell that measures nothing else. */
  static RoundTrips alone(CellSpec cell) {
    int most = cell.items() > 0 ? cell.items() : 200_000;
    return new RoundTrips(
        Math.min(100, most), most, 1_000 * NANOS_PER_MILLI, 2_000 * NANOS_PER_MILLI);
  }

  /** Returns the round trips that follow timed passes. */
  static RoundTrips beside(CellSpec cell) {
    if (cell.busyThreads() > 0) {
      // each waits for its turn among them
      int most = cell.items();
      return new RoundTrips(
          Math.min(10, most), most, 500 * NANOS_PER_MILLI, 3_000 * NANOS_PER_MILLI);
    }
    if (cell.items() > 0) {
      return new RoundTrips(cell.items(), cell.items(), 0, 0);
    }
    return new RoundTrips(10, 20_000, 300 * NANOS_PER_MILLI, 700 * NANOS_PER_MILLI);
  }

  Latency measure(CellPasses passes) throws Exception {
    run(passes, 1, most, warmUpNanos, new Histogram(LONGEST_NANOS, DIGITS));
    Histogram counted = new Histogram(LONGEST_NANOS, DIGITS);
    run(passes, fewest, most, nanos, counted);
    return new Latency(
        counted.getTotalCount(),
        counted.getValueAtPercentile(50) / NANOS_PER_MICRO,
        counted.getValueAtPercentile(99) / NANOS_PER_MICRO,
        counted.getValueAtPercentile(99.9) / NANOS_PER_MICRO);
  }

  private static void run(CellPasses passes, int fewest, int most, long nanos, Histogram histogram)
      throws Exception {
    long begin = passes.nanoTime();
    long[] arrival = {0};
    for (int i = 0; i < fewest || (i < most && passes.nanoTime() - begin < nanos); i++) {
      PassPlan plan = passes.plan();
      long request = passes.nanoTime();
      passes.run(plan, _ -> arrival[0] = passes.nanoTime());
      histogram.recordValue(Math.min(LONGEST_NANOS, arrival[0] - request));
    }
  }
}
