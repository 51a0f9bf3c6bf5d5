package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.ProcessUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What either side of a cell takes while it waits for the other. */
final class WaitRun {
  private static final double NANOS_PER_MILLI = 1e6;

  private final CellPasses passes;

  WaitRun(CellPasses passes) {
    this.passes = passes;
  }

  CellResult run() throws Exception {
    double consumer = consumerWaits();
    double producer = producerWaits();
    return new CellResult(
        passes.cell(),
        0,
        List.of(),
        List.of(),
        passes.verified(),
        1,
        CellCost.NONE,
        Latency.NONE,
        new WaitCost(consumer, producer));
  }

  /** The producer sleeps before its first item; this whole process is looked at meanwhile. */
  private double consumerWaits() throws Exception {
    PassPlan plan = passes.plan();
    try (ExecutorService consumer = Executors.newSingleThreadExecutor()) {
      Future<?> done =
          consumer.submit(
              () -> {
                passes.run(plan);
                return null;
              });
      double percent = corePercent(ProcessHandle.current().pid());
      done.get();
      return percent;
    }
  }

  /** The consumer sits on its first item until the producer has filled what there is and waits. */
  private double producerWaits() throws Exception {
    long producer = passes.session().producerPid().orElseThrow();
    List<Double> percent = new ArrayList<>();
    passes.run(
        passes.plan(),
        _ -> {
          if (percent.isEmpty()) {
            percent.add(corePercent(producer));
          }
        });
    return percent.isEmpty() ? Double.NaN : percent.getFirst();
  }

  private static double corePercent(long pid) {
    Pause.millis(CellSpec.SETTLE_MILLIS);
    OptionalLong before = ProcessUsage.cpuNanos(pid);
    Pause.millis(CellSpec.WAIT_MILLIS);
    return corePercent(before, ProcessUsage.cpuNanos(pid));
  }

  static double corePercent(OptionalLong before, OptionalLong after) {
    if (before.isEmpty() || after.isEmpty()) {
      return Double.NaN;
    }
    double used = after.getAsLong() - before.getAsLong();
    return 100 * used / (CellSpec.WAIT_MILLIS * NANOS_PER_MILLI);
  }
}
