package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.util.List;

/** All figures of all cells, one line each. */
final class HtmlTable {
  private static final List<String> HEADS =
      List.of(
          "cell",
          "payload",
          "scope",
          "size",
          "state",
          "passes",
          "items/s",
          "slowest",
          "fastest",
          "GiB/s",
          "consumer CPU s/GiB",
          "producer CPU s/GiB",
          "consumer CPU us/unit",
          "producer CPU us/unit",
          "p50 us",
          "p99 us",
          "p99.9 us",
          "peak PSS MiB",
          "GC ms",
          "GC requests");
  private static final int IDENTITY = 4;
  private static final String NOTHING = "-";

  private final Html html;

  HtmlTable(Html html) {
    this.html = html;
  }

  void add(List<CellOutcome> outcomes) {
    html.raw("<div class=\"scroll\"><table>\n<thead><tr>");
    HEADS.forEach(head -> html.element("th", head));
    html.raw("</tr></thead>\n<tbody>\n");
    for (CellOutcome outcome : outcomes) {
      html.raw("<tr>");
      identity(outcome);
      switch (outcome) {
        case CellNotSupported cell ->
            html.raw("<td class=\"words\" colspan=\"" + (HEADS.size() - IDENTITY) + "\">")
                .text(cell.text())
                .raw("</td>");
        case CellResult result -> figures(result);
      }
      html.raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
  }

  private void identity(CellOutcome outcome) {
    CellSpec cell = outcome.cell();
    html.element("td", CellName.brief(cell))
        .element("td", cell.payload().label())
        .element("td", Words.lower(cell.scope()))
        .element("td", Sizes.format(cell.sizeBytes()));
  }

  private void figures(CellResult result) {
    boolean rates = result.cell().measure() == CellSpec.Measure.THROUGHPUT;
    boolean bytes = rates && result.movesBytes();
    boolean latency = result.latency().samples() > 0;
    html.element("td", state(result));
    figure(rates, "%.0f", result.itemsPerSecond().size());
    figure(rates, "%.0f", result.medianItemsPerSecond());
    figure(rates, "%.0f", result.smallest());
    figure(rates, "%.0f", result.largest());
    figure(bytes, "%.2f", result.bytesPerSecond() / Sizes.GIB);
    figure(bytes, "%.3f", bytes ? result.consumerCpuSecondsPerGib() : 0);
    figure(bytes, "%.3f", bytes ? result.producerCpuSecondsPerGib() : 0);
    figure(rates, "%.2f", result.medianMicrosPerItem());
    figure(rates, "%.2f", result.cost().producerMicrosPerItem());
    figure(latency, "%.1f", result.latency().p50());
    figure(latency, "%.1f", result.latency().p99());
    figure(latency, "%.1f", result.latency().p999());
    figure(rates, "%.0f", result.cost().peakPssBytes() / Sizes.MIB);
    figure(rates, "%.1f", result.cost().gcMillis());
    figure(rates, "%.0f", (double) result.cost().gcRequests());
  }

  /** Returns what must be known before a figure is believed. */
  static String state(CellResult result) {
    if (!result.verified()) {
      return "WRONG ITEMS";
    }
    return switch (result.stable()) {
      case null -> "verified";
      case Boolean stable -> stable ? "stable" : "unstable";
    };
  }

  private void figure(boolean there, String format, double value) {
    html.element("td", there ? Words.figure(format, value) : NOTHING);
  }
}
