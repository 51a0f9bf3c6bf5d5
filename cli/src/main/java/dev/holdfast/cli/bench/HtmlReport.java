package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A benchmark's results as one page that stands alone: no script, no font, nothing from elsewhere.
 * Belongs to one thread.
 */
public final class HtmlReport {
  private final BenchReport report;
  private final Html html = new Html();

  private HtmlReport(BenchReport report) {
    this.report = report;
  }

  /**
   * Writes the page.
   *
   * @param file where to; an older page there is replaced
   * @param report what was measured, which may be nothing
   * @throws IOException when the file cannot be written
   */
  public static void write(Path file, BenchReport report) throws IOException {
    Files.writeString(file, page(report));
  }

  static String page(BenchReport report) {
    return new HtmlReport(report).build();
  }

  private String build() {
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .raw("<title>holdfast bench</title>\n<style>\n")
        .raw(HtmlStyle.CSS)
        .raw("</style>\n</head>\n<body>\n<main>\n")
        .element("h1", "holdfast bench");
    summary();
    machine();
    targets();
    if (!report.outcomes().isEmpty()) {
      charts();
      html.element("h2", "All figures");
      new HtmlTable(html).add(report.outcomes());
    }
    html.element("h2", "Definitions")
        .element("p", "definitions", BenchText.DEFINITIONS)
        .raw("</main>\n</body>\n</html>\n");
    return html.toString();
  }

  private void summary() {
    long unstable =
        results().stream().filter(result -> result.verified() && result.unstable()).count();
    int notSupported = report.outcomes().size() - results().size();
    html.element(
        "p",
        "quiet",
        Words.format(
            "%d cells, %d unstable, %d not supported. Measured on %s.",
            report.outcomes().size(), unstable, notSupported, LocalDate.now(ZoneOffset.UTC)));
    if (report.failure() != null) {
      html.element("p", "warn", "The run failed: " + Words.summary(report.failure()));
    }
    if (report.outcomes().isEmpty()) {
      html.element("p", "No cell was measured.");
    }
  }

  private void machine() {
    html.element("h2", "Machine").raw("<dl>\n");
    for (Map.Entry<String, String> fact : report.facts().entrySet()) {
      html.element("dt", fact.getKey()).element("dd", fact.getValue()).raw("\n");
    }
    html.raw("</dl>\n");
  }

  private void targets() {
    if (report.targets().isEmpty()) {
      return;
    }
    html.element("h2", "Targets")
        .raw("<div class=\"scroll\"><table>\n<thead><tr>")
        .element("th", "target")
        .element("th", "limit here")
        .element("th", "measured")
        .element("th", "")
        .raw("</tr></thead>\n<tbody>\n");
    for (TargetLine line : report.targets()) {
      html.raw("<tr>")
          .element("td", line.name())
          .element("td", line.target())
          .element("td", line.measured())
          .element("td", line.holds() ? "holds" : "missed")
          .raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
  }

  private void charts() {
    for (Payload payload :
        report.outcomes().stream().map(outcome -> outcome.cell().payload()).distinct().toList()) {
      html.element("h2", "Payload " + payload.label());
      key();
      boolean first = true;
      for (HtmlChart chart : HtmlChart.ALL) {
        List<CellResult> cells =
            results().stream()
                .filter(result -> result.cell().payload() == payload)
                .filter(chart.applies())
                .toList();
        List<CellOutcome> rows = new ArrayList<>(cells);
        if (first) {
          rows = withNotSupported(rows, payload);
        }
        if (!rows.isEmpty()) {
          chart(chart, cells, rows);
          first = false;
        }
      }
    }
  }

  /** Adds the cells that a transport cannot carry, in the order of the matrix. */
  private List<CellOutcome> withNotSupported(List<CellOutcome> rows, Payload payload) {
    return report.outcomes().stream()
        .filter(outcome -> outcome.cell().payload() == payload)
        .filter(outcome -> outcome instanceof CellNotSupported || rows.contains(outcome))
        .toList();
  }

  private void key() {
    html.raw("<p class=\"quiet\">");
    for (HtmlFamily family : HtmlFamily.values()) {
      if (report.outcomes().stream().anyMatch(cell -> HtmlFamily.of(cell.cell()) == family)) {
        html.raw("<span class=\"key\"><svg aria-hidden=\"true\"><rect class=\"")
            .raw(family.styleClass())
            .raw("\" width=\"14\" height=\"10\" rx=\"2\"/></svg>")
            .text(family.title())
            .raw("</span>");
      }
    }
    html.raw("</p>\n");
  }

  /** Draws one card a size, all on one scale. */
  private void chart(HtmlChart chart, List<CellResult> cells, List<CellOutcome> rows) {
    double end =
        cells.stream().mapToDouble(chart.largest()).filter(Double::isFinite).max().orElse(0);
    Map<Long, List<CellOutcome>> bySize = new TreeMap<>();
    for (CellOutcome row : rows) {
      bySize.computeIfAbsent(row.cell().sizeBytes(), _ -> new ArrayList<>()).add(row);
    }
    html.element("h3", chart.title()).element("p", "quiet", chart.note());
    html.raw("<div class=\"cards\">\n");
    bySize.forEach(
        (size, sized) -> {
          html.raw("<div class=\"card\">").element("h4", Sizes.format(size));
          for (CellOutcome row : sized) {
            row(chart, row, end);
          }
          html.raw("</div>\n");
        });
    html.raw("</div>\n");
  }

  private void row(HtmlChart chart, CellOutcome row, double end) {
    html.raw("<div class=\"row\"><div class=\"head\">").element("span", CellName.brief(row.cell()));
    switch (row) {
      case CellNotSupported cell -> html.element("span", "quiet", cell.text()).raw("</div>");
      case CellResult result -> {
        html.open("span", "value").text(chart.value().apply(result) + " ");
        html.element("small", chart.detail().apply(result));
        if (!result.verified() || (chart.showsRate() && result.unstable())) {
          html.raw(" ").element("span", "tag", HtmlTable.state(result));
        }
        html.raw("</span></div>").raw(chart.svg(result, end));
      }
    }
    html.raw("</div>\n");
  }

  private List<CellResult> results() {
    return report.outcomes().stream()
        .filter(CellResult.class::isInstance)
        .map(CellResult.class::cast)
        .toList();
  }
}
