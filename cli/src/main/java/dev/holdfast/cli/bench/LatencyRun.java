package dev.holdfast.cli.bench;

import java.util.List;

/** Round trips alone, beside busy threads where the cell has some. */
final class LatencyRun {
  private final CellPasses passes;

  LatencyRun(CellPasses passes) {
    this.passes = passes;
  }

  CellResult run() throws Exception {
    CellSpec cell = passes.cell();
    try (BusyThreads _ = new BusyThreads(cell.busyThreads()).start()) {
      Latency latency = RoundTrips.alone(cell).measure(passes);
      return new CellResult(
          cell,
          0,
          List.of(),
          List.of(),
          passes.verified(),
          1,
          CellCost.NONE,
          latency,
          WaitCost.NONE);
    }
  }
}
