package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Table;
import dev.holdfast.cli.text.Words;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The report of a benchmark as people read it on a terminal. */
final class BenchText {
  /** What the figures mean. */
  static final String DEFINITIONS =
      """
      items/s: items delivered and released, by the consumer's clock; the median of the passes, then the
      slowest and the fastest. unstable: these two lie further apart than 30 % of the median, twice.
      memcpy: one thread copies from one source of the item's size into as many stretches of shared memory as
      a pool has segments, in turn.
      cpu us/unit: processor time per item by thread. Consumer: the thread that consumes and the transport's own
      threads in its process, the median of the passes. Producer: the threads of its process without those of
      the JVM. Threads that are only busy, in the consumer's process, are never counted, but all figures of a
      cell that names them are taken beside them.
      cpu s/GiB: processor time of the whole process by the operating system, over all timed passes.
      peak MiB: memory of both processes together at its highest, in a pass of its own; a page that both map
      counts once.
      latency us: one item in flight, from the consumer's request to the restored item, by one clock.
      gc: milliseconds of collections in the consumer's process over all timed passes, and how many collections
      the transport asked for.
      unknown: the system did not tell.
      Each item is stamped and checked at its first and last 64 bytes and at one word in each 64 KiB, in the
      warm-up at every word.\
      """;

  private static final String NOT_FILLED =
      """
      pool-in-place: payload not filled. Worker and consumer touch the first and the last 64 bytes of an item
      alone, so items/s is the cost of a unit; there are no bytes per second.\
      """;

  private static final String BASELINE = "memcpy";
  private static final String NONE = "-";

  private final BenchReport report;
  private final List<CellResult> results;

  BenchText(BenchReport report) {
    this.report = report;
    this.results = report.results(CellSpec.Measure.THROUGHPUT);
  }

  /** Returns what came of a cell in one line, for those who wait for the table. */
  static String line(CellOutcome outcome) {
    String title = CellName.full(outcome.cell());
    return switch (outcome) {
      case CellNotSupported cell -> title + ": " + cell.text();
      case CellResult result -> title + ": " + figures(result);
    };
  }

  private static String figures(CellResult result) {
    return switch (result.cell().measure()) {
      case THROUGHPUT ->
          Words.format(
              "%.0f items/s, %s%s",
              result.medianItemsPerSecond(),
              bytesOrNot(result),
              result.verified() && !result.unstable() ? "" : ", " + note(result));
      case WAIT ->
          Words.format(
              "%d s take %s of a core in the consumer, %s in the producer",
              CellSpec.WAIT_MILLIS / 1000,
              Words.figure("%.2f %%", result.waiting().consumerPercent()),
              Words.figure("%.2f %%", result.waiting().producerPercent()));
      case LATENCY ->
          Words.format(
              "p50 %.1f us, 99 %% within %.1f us, 99.9 %% within %.1f us",
              result.latency().p50(), result.latency().p99(), result.latency().p999());
    };
  }

  private static String bytesOrNot(CellResult result) {
    return result.movesBytes()
        ? Words.format("%.2f GiB/s", result.bytesPerSecond() / Sizes.GIB)
        : "payload not filled";
  }

  private static String note(CellResult result) {
    if (!result.verified()) {
      return "WRONG";
    }
    return result.unstable() ? "unstable" : "verified";
  }

  void print(PrintStream target) {
    target.println();
    target.println(String.join("; ", report.facts().values()));
    if (results.isEmpty()) {
      return;
    }
    target.println();
    rates().print(target);
    target.println();
    costs().print(target);
    target.println();
    target.println(DEFINITIONS);
    printInPlace(target);
  }

  private Table rates() {
    Table table =
        new Table(
            3,
            "cell",
            "payload",
            "scope",
            "size",
            "items",
            "passes",
            "items/s",
            "slowest",
            "fastest",
            "GiB/s",
            "of memcpy",
            "answer");
    for (CellOutcome outcome : report.outcomes()) {
      switch (outcome) {
        case CellNotSupported cell -> table.row(withoutFigures(cell));
        case CellResult result when result.cell().measure() == CellSpec.Measure.THROUGHPUT ->
            table.row(rate(result));
        case CellResult _ -> {}
      }
    }
    return table;
  }

  private static String[] withoutFigures(CellNotSupported outcome) {
    CellSpec cell = outcome.cell();
    return new String[] {
      CellName.brief(cell),
      cell.payload().label(),
      Words.lower(cell.scope()),
      Sizes.format(cell.sizeBytes()),
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      NONE,
      outcome.text()
    };
  }

  private String[] rate(CellResult result) {
    CellSpec cell = result.cell();
    return new String[] {
      CellName.brief(cell),
      cell.payload().label(),
      Words.lower(cell.scope()),
      Sizes.format(cell.sizeBytes()),
      String.valueOf(result.items()),
      String.valueOf(cell.passes()),
      Words.format("%.0f", result.medianItemsPerSecond()),
      Words.format("%.0f", result.smallest()),
      Words.format("%.0f", result.largest()),
      result.movesBytes()
          ? Words.format("%.2f", result.bytesPerSecond() / Sizes.GIB)
          : "not filled",
      baseline(result)
          .map(base -> Words.format("%.2f", result.bytesPerSecond() / base.bytesPerSecond()))
          .orElse(NONE),
      note(result)
    };
  }

  private Table costs() {
    Table table =
        new Table(
            2,
            "cell",
            "payload",
            "size",
            "cpu us/unit",
            "producer",
            "cpu s/GiB",
            "producer",
            "peak MiB",
            "latency us",
            "p99",
            "p99.9",
            "gc ms",
            "gc requests");
    for (CellResult result : results) {
      CellCost cost = result.cost();
      boolean bytes = result.movesBytes();
      table.row(
          CellName.brief(result.cell()),
          result.cell().payload().label(),
          Sizes.format(result.cell().sizeBytes()),
          Words.figure("%.2f", result.medianMicrosPerItem()),
          Words.figure("%.2f", cost.producerMicrosPerItem()),
          bytes ? Words.figure("%.3f", result.consumerCpuSecondsPerGib()) : NONE,
          bytes ? Words.figure("%.3f", result.producerCpuSecondsPerGib()) : NONE,
          Words.figure("%.0f", cost.peakPssBytes() / Sizes.MIB),
          Words.format("%.1f", result.latency().p50()),
          Words.format("%.1f", result.latency().p99()),
          Words.format("%.1f", result.latency().p999()),
          Words.figure("%.0f", cost.gcMillis()),
          String.valueOf(cost.gcRequests()));
    }
    return table;
  }

  /** Says how far the rate depends on the size, which in place it should not. */
  private void printInPlace(PrintStream target) {
    List<CellResult> inPlace =
        results.stream().filter(result -> result.cell().fill().inPlace()).toList();
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
              "%s: the rate is %.2f of that at %s",
              CellName.full(large.cell()),
              large.medianItemsPerSecond() / small.medianItemsPerSecond(),
              Sizes.format(small.cell().sizeBytes())));
    }
  }

  private Optional<CellResult> baseline(CellResult result) {
    if (!result.movesBytes()) {
      return Optional.empty();
    }
    CellSpec cell = result.cell();
    return results.stream()
        .filter(other -> other.cell().transport().equals(BASELINE))
        .filter(other -> other.cell().payload() == cell.payload())
        .filter(other -> other.cell().sizeBytes() == cell.sizeBytes())
        .findFirst();
  }
}
