package dev.holdfast.cli.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * The timed passes of a cell, then one in which memory is looked at, then some round trips. Each
 * figure comes from passes in which nothing else is asked for. Busy threads spin beside all of
 * them.
 */
final class ThroughputRun {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  private final CellPasses passes;
  private final CellSpec cell;
  private final Session session;
  private final List<String> ownThreads;

  ThroughputRun(CellPasses passes, List<String> ownThreads) {
    this.passes = passes;
    this.cell = passes.cell();
    this.session = passes.session();
    this.ownThreads = ownThreads;
  }

  CellResult run(int items) throws Exception {
    List<Double> rates = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    try (BusyThreads _ = new BusyThreads(cell.busyThreads()).start()) {
      CellCost cost = timed(rates, micros).withPeakPss(peakBytes());
      Latency latency = RoundTrips.beside(cell).measure(passes);
      return new CellResult(
          cell, items, rates, micros, passes.verified(), 1, cost, latency, WaitCost.NONE);
    }
  }

  private CellCost timed(List<Double> rates, List<Double> micros) throws Exception {
    ConsumerClock clock = new ConsumerClock(ownThreads);
    CostClock costs = new CostClock(session);
    long items = 0;
    costs.start();
    for (int timed = 0; timed < cell.passes(); timed++) {
      PassPlan plan = passes.plan();
      clock.start();
      long start = passes.nanoTime();
      passes.run(plan);
      double seconds = (passes.nanoTime() - start) / NANOS_PER_SECOND;
      micros.add(clock.nanosSinceStart() / NANOS_PER_MICRO / plan.items());
      rates.add(plan.items() / seconds);
      items += plan.items();
    }
    return costs.sinceStart(items);
  }

  private double peakBytes() throws Exception {
    try (MemoryWatch watch = new MemoryWatch(session.producerPid()).start()) {
      passes.run(passes.plan());
      return watch.peakBytes();
    }
  }
}
