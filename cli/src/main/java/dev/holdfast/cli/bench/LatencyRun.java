package dev.holdfast.cli.bench;

import java.util.List;

/** Round trips alone. */
final class LatencyRun {
  private final CellPasses passes;

  LatencyRun(CellPasses passes) {
    this.passes = passes;
  }

  CellResult run() throws Exception {
    Latency latency = RoundTrips.alone(passes.cell()).measure(passes);
    return new CellResult(
        passes.cell(),
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
