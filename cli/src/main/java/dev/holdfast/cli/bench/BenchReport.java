package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Table;
import dev.holdfast.cli.text.Words;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** The results of a benchmark as people read them. */
final class BenchReport {
  private static final String BASELINE = "memcpy";
  private static final String DEFINITIONS =
      """
      items/s: items delivered and released, by the consumer's clock; the median of the passes, then the
      slowest and the fastest. memcpy: one thread copies from one source of the item's size into as many
      stretches of shared memory as a pool has segments, in turn. cpu us/unit: processor time of the consumer
      thread and of Holdfast's own threads in its process, per item; the median. Each item is stamped and
      checked at its first and last 64 bytes and at one word in each 64 KiB, in the warm-up at every word.\
      """;

  private final List<CellResult> results;

  BenchReport(List<CellResult> results) {
    this.results = results;
  }

  /** Returns a cell's result in one line, for those who wait for the table. */
  static String line(CellResult result) {
    String title = Bench.title(result.cell());
    return switch (result.cell().measure()) {
      case THROUGHPUT ->
          Words.format(
              "%s: %.0f items/s, %.2f GiB/s",
              title, result.medianItemsPerSecond(), result.bytesPerSecond() / Sizes.GIB);
      case WAIT ->
          Words.format(
              "%s: waiting %d s takes %.2f %% of a core in the consumer, %.2f %% in the producer",
              title,
              CellSpec.WAIT_MILLIS / 1000,
              result.consumerWaitPercent(),
              result.producerWaitPercent());
    };
  }

  void print(PrintStream target) {
    Table table =
        new Table(
            3,
            "transport",
            "payload",
            "scope",
            "size",
            "items",
            "passes",
            "busy",
            "items/s",
            "slowest",
            "fastest",
            "GiB/s",
            "of memcpy",
            "cpu us/unit",
            "verified");
    boolean any = false;
    for (CellResult result : results) {
      if (result.cell().measure() == CellSpec.Measure.THROUGHPUT) {
        add(table, result);
        any = true;
      }
    }
    if (any) {
      target.println();
      table.print(target);
      target.println();
      target.println(DEFINITIONS);
    }
  }

  private void add(Table table, CellResult result) {
    CellSpec cell = result.cell();
    table.row(
        cell.transport(),
        cell.payload().label(),
        Words.lower(cell.scope()),
        Sizes.format(cell.sizeBytes()),
        String.valueOf(cell.items()),
        String.valueOf(cell.passes()),
        String.valueOf(cell.busyThreads()),
        Words.format("%.0f", result.medianItemsPerSecond()),
        Words.format("%.0f", result.smallest()),
        Words.format("%.0f", result.largest()),
        Words.format("%.2f", result.bytesPerSecond() / Sizes.GIB),
        baseline(cell)
            .map(base -> Words.format("%.2f", result.bytesPerSecond() / base.bytesPerSecond()))
            .orElse("-"),
        Words.format("%.2f", result.medianMicrosPerItem()),
        result.verified() ? "yes" : "NO");
  }

  private Optional<CellResult> baseline(CellSpec cell) {
    return results.stream()
        .filter(result -> result.cell().measure() == CellSpec.Measure.THROUGHPUT)
        .filter(result -> result.cell().transport().equals(BASELINE))
        .filter(result -> result.cell().payload() == cell.payload())
        .filter(result -> result.cell().sizeBytes() == cell.sizeBytes())
        .findFirst();
  }
}
