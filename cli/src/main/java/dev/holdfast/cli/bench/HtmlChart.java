package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * A kind of chart: one horizontal drawing for each cell that has the figure. Drawings are SVG with
 * lengths in percent, so that they fill whatever width there is while all text stays text.
 *
 * @param title what is shown
 * @param note how to read a drawing
 * @param applies whether a cell has the figure
 * @param largest the largest value that a cell's drawing must hold
 * @param drawing what is drawn on a scale that ends at the second value
 * @param value the figure in words
 * @param detail what stands behind it, smaller
 */
record HtmlChart(
    String title,
    String note,
    Predicate<CellResult> applies,
    ToDoubleFunction<CellResult> largest,
    BiFunction<CellResult, Double, String> drawing,
    Function<CellResult, String> value,
    Function<CellResult, String> detail) {
  private static final double PERCENT = 100;
  private static final double FASTEST_MICROS = 1;
  private static final double MICROS_PER_MILLI = 1000;

  static final HtmlChart BYTES =
      new HtmlChart(
          "Bytes per second",
          "Longer is better: GiB/s of the median pass. The thin line reaches from the slowest pass"
              + " to the fastest.",
          result -> isThroughput(result) && result.movesBytes(),
          result -> gib(result, result.largest()),
          (result, end) ->
              bar(result, "", 0, gib(result, result.medianItemsPerSecond()), end)
                  + range(gib(result, result.smallest()), gib(result, result.largest()), end),
          result -> Words.format("%.2f GiB/s", gib(result, result.medianItemsPerSecond())),
          result ->
              Words.format(
                  "%.2f to %.2f", gib(result, result.smallest()), gib(result, result.largest())));

  static final HtmlChart ITEMS =
      new HtmlChart(
          "Items per second, payload not filled",
          "Longer is better: the median pass. The thin line reaches from the slowest pass to the"
              + " fastest.",
          result -> isThroughput(result) && !result.movesBytes(),
          CellResult::largest,
          (result, end) ->
              bar(result, "", 0, result.medianItemsPerSecond(), end)
                  + range(result.smallest(), result.largest(), end),
          result -> Words.format("%.0f items/s", result.medianItemsPerSecond()),
          result -> Words.format("%.0f to %.0f", result.smallest(), result.largest()));

  static final HtmlChart PROCESSOR_TIME =
      new HtmlChart(
          "Processor time for a GiB",
          "Shorter is better: seconds of the consumer's process, then, paler, of the producer's.",
          result -> isThroughput(result) && result.movesBytes(),
          result -> result.consumerCpuSecondsPerGib() + result.producerCpuSecondsPerGib(),
          (result, end) ->
              stacked(
                  result,
                  result.consumerCpuSecondsPerGib(),
                  result.producerCpuSecondsPerGib(),
                  end),
          result ->
              Words.figure(
                  "%.3f s", result.consumerCpuSecondsPerGib() + result.producerCpuSecondsPerGib()),
          result ->
              both("%.3f", result.consumerCpuSecondsPerGib(), result.producerCpuSecondsPerGib()));

  static final HtmlChart LATENCY =
      new HtmlChart(
          "Latency of one item",
          "Further left is better, on a logarithmic scale: the dot is the median, the thick line"
              + " ends at p99, the thin line at p99.9.",
          result -> result.latency().samples() > 0,
          result -> result.latency().p999(),
          HtmlChart::latency,
          result -> micros(result.latency().p50()),
          result ->
              "p99 "
                  + micros(result.latency().p99())
                  + ", p99.9 "
                  + micros(result.latency().p999()));

  static final HtmlChart MEMORY =
      new HtmlChart(
          "Memory",
          "Shorter is better: what both processes have in use at the highest (PSS), the JVMs"
              + " included.",
          HtmlChart::isThroughput,
          result -> result.cost().peakPssBytes(),
          (result, end) -> bar(result, "", 0, result.cost().peakPssBytes(), end),
          result -> Words.figure("%.0f MiB", result.cost().peakPssBytes() / Sizes.MIB),
          _ -> "");

  static final HtmlChart WAITING =
      new HtmlChart(
          "Processor time while waiting",
          "Shorter is better: percent of a core in the consumer's process, then, paler, in the"
              + " producer's.",
          result -> result.cell().measure() == CellSpec.Measure.WAIT,
          result -> result.waiting().consumerPercent() + result.waiting().producerPercent(),
          (result, end) ->
              stacked(
                  result,
                  result.waiting().consumerPercent(),
                  result.waiting().producerPercent(),
                  end),
          result ->
              Words.figure(
                  "%.2f %%",
                  result.waiting().consumerPercent() + result.waiting().producerPercent()),
          result ->
              both("%.2f", result.waiting().consumerPercent(), result.waiting().producerPercent()));

  static final List<HtmlChart> ALL =
      List.of(BYTES, ITEMS, PROCESSOR_TIME, LATENCY, MEMORY, WAITING);

  /** Returns whether the chart is of rates, which are stable or not. */
  boolean showsRate() {
    return equals(BYTES) || equals(ITEMS);
  }

  /** Returns the drawing of one cell as an SVG element. */
  String svg(CellResult result, double end) {
    String label = Html.escape(CellName.full(result.cell()) + ": " + value.apply(result));
    return "<svg role=\"img\" aria-label=\""
        + label
        + "\"><rect class=\"track\" x=\"0\" y=\"3\" width=\"100%\" height=\"8\" rx=\"2\"/>"
        + drawing.apply(result, end)
        + "</svg>";
  }

  private static boolean isThroughput(CellResult result) {
    return result.cell().measure() == CellSpec.Measure.THROUGHPUT;
  }

  private static double gib(CellResult result, double itemsPerSecond) {
    return itemsPerSecond * result.cell().sizeBytes() / Sizes.GIB;
  }

  static String micros(double micros) {
    return micros < MICROS_PER_MILLI
        ? Words.format("%.1f us", micros)
        : Words.format("%.2f ms", micros / MICROS_PER_MILLI);
  }

  private static String both(String format, double consumer, double producer) {
    return Words.figure(format, consumer) + " + " + Words.figure(format, producer);
  }

  private static String bar(
      CellResult result, String more, double from, double length, double end) {
    return Words.format(
        "<rect class=\"%s%s\" x=\"%.2f%%\" y=\"3\" width=\"%.2f%%\" height=\"8\" rx=\"2\"/>",
        HtmlFamily.of(result.cell()).styleClass(), more, percent(from, end), percent(length, end));
  }

  private static String stacked(CellResult result, double first, double second, double end) {
    return bar(result, "", 0, first, end) + bar(result, " second", first, second, end);
  }

  private static String range(double smallest, double largest, double end) {
    return Words.format(
        "<line class=\"range\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"7\" y2=\"7\"/>",
        percent(smallest, end), percent(largest, end));
  }

  private static String latency(CellResult result, double end) {
    String family = HtmlFamily.of(result.cell()).styleClass();
    Latency latency = result.latency();
    double p50 = logarithmic(latency.p50(), end);
    double p99 = logarithmic(latency.p99(), end);
    double p999 = logarithmic(latency.p999(), end);
    String line =
        "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"7\" y2=\"7\" stroke-width=\"%s\"/>";
    return Words.format(line, family, p99, p999, "1.5")
        + Words.format(line, family, p50, p99, "4")
        + Words.format("<circle class=\"%s\" cx=\"%.2f%%\" cy=\"7\" r=\"5\"/>", family, p50);
  }

  private static double logarithmic(double micros, double end) {
    double last = Math.log(Math.max(end, 10 * FASTEST_MICROS) / FASTEST_MICROS);
    double here = Math.log(Math.max(micros, FASTEST_MICROS) / FASTEST_MICROS);
    return Math.clamp(PERCENT * here / last, 0, PERCENT);
  }

  private static double percent(double value, double end) {
    return end > 0 && Double.isFinite(value) ? Math.clamp(PERCENT * value / end, 0, PERCENT) : 0;
  }
}
