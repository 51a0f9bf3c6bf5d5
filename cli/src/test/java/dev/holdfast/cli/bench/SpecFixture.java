package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;

/** Cells for tests. */
final class SpecFixture {
  private SpecFixture() {}

  static CellSpec spec(Payload payload, long sizeBytes, int items, CellSpec.Measure measure) {
    return spec(payload, sizeBytes, items, measure, 0);
  }

  static CellSpec besideBusyThreads(int count) {
    return spec(Payload.BUFFER, 1000, 5, CellSpec.Measure.THROUGHPUT, count);
  }

  private static CellSpec spec(
      Payload payload, long sizeBytes, int items, CellSpec.Measure measure, int busyThreads) {
    return new CellSpec(
        "inline",
        payload,
        ViewScope.CONFINED,
        sizeBytes,
        items,
        10,
        20,
        3,
        4,
        busyThreads,
        measure,
        Fill.OWN_MEMORY,
        Codec.COMPACT,
        null);
  }

  static CellSpec spec() {
    return spec(Payload.BUFFER, 1000, 5, CellSpec.Measure.THROUGHPUT);
  }
}
