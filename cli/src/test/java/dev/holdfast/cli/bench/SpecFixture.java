package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;

/** Cells for tests. */
final class SpecFixture {
  private SpecFixture() {}

  static CellSpec spec(Payload payload, long sizeBytes, int items, CellSpec.Measure measure) {
    return spec(payload, sizeBytes, items, 20, measure, 0);
  }

  static CellSpec besideBusyThreads(int count) {
    return spec(Payload.BUFFER, 1000, 5, 20, CellSpec.Measure.THROUGHPUT, count);
  }

  static CellSpec rehearsing(int items, PassLength length) {
    return spec(Payload.BUFFER, 1000, 0, items, CellSpec.Measure.THROUGHPUT, 0).withLength(length);
  }

  static CellSpec named(String transport, Codec codec, int busyThreads, CellSpec.Measure measure) {
    return new CellSpec(
        transport,
        Payload.MAP,
        ViewScope.CONFINED,
        64 << 10,
        5,
        10,
        20,
        3,
        4,
        busyThreads,
        measure,
        Fill.OWN_MEMORY,
        codec,
        null);
  }

  private static CellSpec spec(
      Payload payload,
      long sizeBytes,
      int items,
      int rehearsalItems,
      CellSpec.Measure measure,
      int busyThreads) {
    return new CellSpec(
        "inline",
        payload,
        ViewScope.CONFINED,
        sizeBytes,
        items,
        10,
        rehearsalItems,
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
