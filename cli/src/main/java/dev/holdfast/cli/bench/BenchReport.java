package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Table;
import dev.holdfast.cli.text.Words;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
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
  private static final String NOT_FILLED =
      """
      pool-in-place: payload not filled. Worker and consumer touch the first and the last 64 bytes of an item
      alone, so items/s is the cost of a unit; there are no bytes per second.\
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
              "%s: %.0f items/s, %s", title, result.medianItemsPerSecond(), bytesOrNot(result));
      case WAIT ->
          Words.format(
              "%s: waiting %d s takes %.2f %% of a core in the consumer, %.2f %% in the producer",
              title,
              CellSpec.WAIT_MILLIS / 1000,
              result.consumerWaitPercent(),
              result.producerWaitPercent());
    };
  }

  private static String bytesOrNot(CellResult result) {
    return result.cell().fill().inPlace()
        ? "payload not filled"
        : Words.format("%.2f GiB/s", result.bytesPerSecond() / Sizes.GIB);
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
      printInPlace(target);
    }
  }

  /** Says how far the rate depends on the size, which in place it should not. */
  private void printInPlace(PrintStream target) {
    List<CellResult> inPlace = new ArrayList<>();
    for (CellResult result : results) {
      if (result.cell().fill().inPlace()
          && result.cell().measure() == CellSpec.Measure.THROUGHPUT) {
        inPlace.add(result);
      }
    }
    if (inPlace.isEmpty()) {
      return;
    }
    target.println(NOT_FILLED);
    inPlace.stream()
        .map(result -> result.cell().payload())
        .distinct()
        .forEach(payload -> printRatio(target, payload, inPlace));
  }

  private static void printRatio(PrintStream target, Payload payload, List<CellResult> inPlace) {
    List<CellResult> bySize =
        inPlace.stream()
            .filter(result -> result.cell().payload() == payload)
            .sorted(Comparator.comparingLong(result -> result.cell().sizeBytes()))
            .toList();
    CellResult small = bySize.getFirst();
    CellResult large = bySize.getLast();
    if (small.cell().sizeBytes() < large.cell().sizeBytes()) {
      target.println(
          Words.format(
              "%s %s: the rate at %s is %.2f of that at %s",
              small.cell().transport(),
              payload.label(),
              Sizes.format(large.cell().sizeBytes()),
              large.medianItemsPerSecond() / small.medianItemsPerSecond(),
              Sizes.format(small.cell().sizeBytes())));
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
        cell.fill().inPlace()
            ? "not filled"
            : Words.format("%.2f", result.bytesPerSecond() / Sizes.GIB),
        baseline(cell)
            .map(base -> Words.format("%.2f", result.bytesPerSecond() / base.bytesPerSecond()))
            .orElse("-"),
        Words.format("%.2f", result.medianMicrosPerItem()),
        result.verified() ? "yes" : "NO");
  }

  private Optional<CellResult> baseline(CellSpec cell) {
    if (cell.fill().inPlace()) {
      return Optional.empty();
    }
    return results.stream()
        .filter(result -> result.cell().measure() == CellSpec.Measure.THROUGHPUT)
        .filter(result -> result.cell().transport().equals(BASELINE))
        .filter(result -> result.cell().payload() == cell.payload())
        .filter(result -> result.cell().sizeBytes() == cell.sizeBytes())
        .findFirst();
  }
}
