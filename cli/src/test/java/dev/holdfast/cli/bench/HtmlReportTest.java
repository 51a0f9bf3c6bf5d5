package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Json;
import dev.holdfast.testkit.JsonReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class HtmlReportTest {
  private static final Machine MACHINE =
      new Machine("a <fast> & quiet processor", 2, 8L << 30, "system", "25", "jvm", "collector");
  private static final CellCost COST = new CellCost(0.5, 0.25, 3, 7, 2, 100L << 20);
  private static final Latency LATENCY = new Latency(1000, 12.5, 40, 1500);

  @Test
  void everyCellHasItsLineAndItsBars() throws Exception {
    Document page =
        parse(
            report(
                result("pool", 1 << 20, List.of(9000.0, 10000.0, 11000.0), true),
                result("memcpy", 1 << 20, List.of(12000.0, 12000.0, 12000.0), true),
                result("netty", 32 << 20, List.of(50.0, 100.0, 200.0), true),
                new CellNotSupported(
                    spec("aeron", 32 << 20, CellSpec.Measure.THROUGHPUT, Fill.OWN_MEMORY),
                    "it ends at <16> MiB")));

    List<String> lines = texts(page, "tr");
    assertEquals(5, lines.size(), lines.toString());
    assertTrue(lines.get(1).startsWith("pool buffer confined 1MiB stable 3 10000 9000 11000 9.77"));
    assertTrue(lines.get(3).startsWith("netty buffer confined 32MiB unstable"), lines.get(3));
    assertTrue(lines.get(4).contains("not supported: it ends at <16> MiB"), lines.get(4));
    String all = text(page.getDocumentElement());
    assertEquals(3, all.split("not supported: it ends", -1).length, "in its card and in the table");
    assertTrue(all.contains("4 cells, 1 unstable, 1 not supported"), all);
    assertTrue(all.contains("2 x a <fast> & quiet processor"), all);
    assertTrue(all.contains("p99 40.0 us, p99.9 1.50 ms"), all);
    assertTrue(all.contains("latency us: one item in flight"), "definitions");
    // Throughput, processor time, latency and memory for each of three cells, and the colours.
    assertEquals(4 * 3 + 3, page.getElementsByTagName("svg").getLength());
  }

  @Test
  void barsAreAsLongAsTheirFigures() throws Exception {
    Document page =
        parse(
            report(
                result("pool", 1 << 20, List.of(5000.0, 5000.0, 5000.0), true),
                result("memcpy", 1 << 20, List.of(10000.0, 10000.0, 10000.0), true)));

    Element card = (Element) page.getElementsByTagName("h4").item(0).getParentNode();
    NodeList bars = card.getElementsByTagName("rect");
    assertEquals("50.00%", ((Element) bars.item(1)).getAttribute("width"));
    assertEquals("own", ((Element) bars.item(1)).getAttribute("class"));
    assertEquals("100.00%", ((Element) bars.item(3)).getAttribute("width"));
    assertEquals("baseline", ((Element) bars.item(3)).getAttribute("class"));
  }

  @Test
  void nothingComesFromElsewhere() {
    String page = HtmlReport.page(report(result("pool", 1 << 20, List.of(1.0), true)));

    assertFalse(
        Pattern.compile("(?i)https?:|//[a-z]|src=|href=|url\\(|@import|<script|<link")
            .matcher(page)
            .find(),
        page);
    assertTrue(page.contains("prefers-color-scheme: dark"));
    assertTrue(page.contains("name=\"viewport\""));
  }

  @Test
  void aPageWithoutCellsSaysSo() throws Exception {
    BenchReport report =
        new BenchReport(
            MACHINE,
            List.of(),
            List.of(),
            new CellFailedException(FailureDetail.of("the cell failed").with("transport", "x<y")));

    String all = text(parse(report).getDocumentElement());

    assertTrue(all.contains("No cell was measured."), all);
    assertTrue(all.contains("The run failed: CellFailedException: the cell failed"), all);
    assertTrue(all.contains("x<y"), all);
  }

  @Test
  void wrongItemsAndOtherMeasuresAndTargetsAreShown() throws Exception {
    CellResult wrong = result("pool", 64 << 10, List.of(10.0), false);
    CellResult waiting =
        new CellResult(
            spec("ring", 64 << 10, CellSpec.Measure.WAIT, Fill.OWN_MEMORY),
            0,
            List.of(),
            List.of(),
            true,
            1,
            CellCost.NONE,
            Latency.NONE,
            new WaitCost(0.5, 0.25));
    CellResult inPlace =
        new CellResult(
            spec("pool-in-place", 1 << 20, CellSpec.Measure.THROUGHPUT, Fill.IN_PLACE_SHARED),
            30,
            List.of(70000.0),
            List.of(5.0),
            true,
            1,
            COST,
            LATENCY,
            WaitCost.NONE);
    BenchReport report =
        new BenchReport(
            MACHINE,
            List.of(wrong, waiting, inPlace),
            List.of(new TargetLine("the rate", TargetLine.Side.AT_LEAST, "%.0f", 3, 3, 2)),
            null);

    Document page = parse(report);

    String all = text(page.getDocumentElement());
    assertTrue(all.contains("WRONG ITEMS"), all);
    assertTrue(all.contains("0.75 % 0.50 + 0.25"), all);
    assertTrue(all.contains("pool-in-place, shared fill"), all);
    assertTrue(all.contains("70000 items/s"), all);
    assertTrue(texts(page, "tr").contains("the rate >= 3 2 missed"), texts(page, "tr").toString());
  }

  @Test
  void aFigureThatCouldNotBeReadIsUnknownEverywhere() throws Exception {
    double nan = Double.NaN;
    CellResult cell =
        new CellResult(
            spec("pool", 1 << 20, CellSpec.Measure.THROUGHPUT, Fill.OWN_MEMORY),
            100,
            List.of(5.0, 5.0, 5.0),
            List.of(4.0, nan, 4.0),
            true,
            1,
            new CellCost(nan, nan, nan, nan, 2, nan),
            LATENCY,
            WaitCost.NONE);
    CellResult waiting =
        new CellResult(
            spec("pool", 64 << 10, CellSpec.Measure.WAIT, Fill.OWN_MEMORY),
            0,
            List.of(),
            List.of(),
            true,
            1,
            CellCost.NONE,
            Latency.NONE,
            new WaitCost(nan, 0.25));
    Machine machine = new Machine("processor", 2, nan, "system", "25", "jvm", "collector");
    BenchReport report = new BenchReport(machine, List.of(cell, waiting), List.of(), null);

    Document page = parse(report);

    String row = texts(page, "tr").get(1);
    assertTrue(
        row.endsWith("0.00 unknown unknown unknown unknown 12.5 40.0 1500.0 unknown unknown 2"),
        row);
    String all = text(page.getDocumentElement());
    assertTrue(all.contains("pool unknown unknown + unknown"), all);
    assertTrue(all.contains("pool, waiting unknown unknown + 0.25"), all);
    assertTrue(all.contains("memory unknown"), all);
    assertFalse(HtmlReport.page(report).contains("NaN"));

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new BenchText(report).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String table = bytes.toString(StandardCharsets.UTF_8);
    assertFalse(table.contains("NaN"), table);
    assertTrue(table.contains("; unknown; system;"), table);
    List<String> costs = table.lines().filter(line -> line.contains("1500.0")).toList();
    assertEquals(1, costs.size(), table);
    assertEquals(
        "pool buffer 1MiB unknown unknown unknown unknown unknown 12.5 40.0 1500.0 unknown 2",
        costs.getFirst().replaceAll(" +", " "));
    assertEquals(
        "pool buffer 64KiB, waiting: 5 s take unknown of a core in the consumer, 0.25 % in the"
            + " producer",
        BenchText.line(waiting));

    Map<String, Object> json = JsonReader.object(Json.of(report.toJson()));
    Map<String, Object> fields = JsonReader.objects(json.get("cells")).getFirst();
    for (String name :
        List.of(
            "producerCpuSecondsPerGiB",
            "consumerCpuSecondsPerGiB",
            "producerCpuMicrosPerUnit",
            "consumerCpuMicrosPerUnit",
            "peakPssBytes",
            "gcMillis")) {
      assertTrue(fields.containsKey(name) && fields.get(name) == null, name);
    }
    assertNull(JsonReader.objects(json.get("waits")).getFirst().get("consumerCorePercent"));
    assertNull(JsonReader.fields(json.get("machine")).get("memoryBytes"));
  }

  @Test
  void barsBesideAnUnknownFigureAreAsLongAsTheirs() {
    CellResult known = result("memcpy", 1 << 20, List.of(10.0, 10.0), true);
    CellCost cost = new CellCost(1, 1, 1, 1, 0, Double.NaN);
    CellResult unknown =
        new CellResult(
            spec("pool", 1 << 20, CellSpec.Measure.THROUGHPUT, Fill.OWN_MEMORY),
            100,
            List.of(5.0, 5.0),
            List.of(4.0, 4.0),
            true,
            1,
            cost,
            LATENCY,
            WaitCost.NONE);

    String page = HtmlReport.page(report(known, unknown));

    String memory = page.substring(page.indexOf("<h3>Memory</h3>"));
    String bar = "<rect class=\"%s\" x=\"0.00%%\" y=\"3\" width=\"%s%%\"";
    assertTrue(memory.contains(bar.formatted("baseline", "100.00")), memory);
    assertTrue(memory.contains(bar.formatted("own", "0.00")), memory);
  }

  @Test
  void roundTripsAndOnePassAreNotCalledStable() throws Exception {
    CellResult trips =
        new CellResult(
            spec("pool", 1 << 20, CellSpec.Measure.LATENCY, Fill.OWN_MEMORY),
            0,
            List.of(),
            List.of(),
            true,
            1,
            CellCost.NONE,
            LATENCY,
            WaitCost.NONE);

    List<String> rows =
        texts(parse(report(trips, result("ring", 1 << 20, List.of(10.0), true))), "tr");

    assertTrue(rows.get(1).startsWith("pool, round trips buffer confined 1MiB verified"));
    assertTrue(rows.get(2).startsWith("ring buffer confined 1MiB verified"), rows.get(2));
  }

  private static BenchReport report(CellOutcome... outcomes) {
    return new BenchReport(MACHINE, List.of(outcomes), List.of(), null);
  }

  private static CellResult result(
      String transport, long size, List<Double> rates, boolean verified) {
    return new CellResult(
        spec(transport, size, CellSpec.Measure.THROUGHPUT, Fill.OWN_MEMORY),
        100,
        rates,
        rates.stream().map(_ -> 4.0).toList(),
        verified,
        1,
        COST,
        LATENCY,
        WaitCost.NONE);
  }

  private static CellSpec spec(String transport, long size, CellSpec.Measure measure, Fill fill) {
    return new CellSpec(
        transport,
        Payload.BUFFER,
        ViewScope.CONFINED,
        size,
        100,
        100,
        100,
        3,
        4,
        0,
        measure,
        fill,
        Codec.COMPACT,
        null);
  }

  /** The page is also well-formed XML but for what HTML alone has in its head. */
  private static Document parse(BenchReport report) throws Exception {
    String page =
        HtmlReport.page(report)
            .replaceFirst("<!DOCTYPE html>", "")
            .replaceAll("(<meta[^>]*)>", "$1/>");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
  }

  private static List<String> texts(Document page, String tag) {
    NodeList nodes = page.getElementsByTagName(tag);
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> text((Element) nodes.item(i)))
        .toList();
  }

  private static String text(Element element) {
    StringBuilder text = new StringBuilder();
    append(element, text);
    return text.toString().strip().replaceAll("\\s+", " ");
  }

  private static void append(Node node, StringBuilder text) {
    if (node.getNodeType() == Node.TEXT_NODE) {
      text.append(node.getNodeValue()).append(' ');
    }
    for (int i = 0; i < node.getChildNodes().getLength(); i++) {
      append(node.getChildNodes().item(i), text);
    }
  }
}
