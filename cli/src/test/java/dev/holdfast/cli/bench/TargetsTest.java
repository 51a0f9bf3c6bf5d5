package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.Json;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.testkit.JsonReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TargetsTest {
  private static final String MEMCPY = "memcpy buffer 32MiB";
  private static final String FUTEX = "futex buffer 0B, round trips";
  private static final String POOL = "pool buffer 32MiB";
  private static final String RING = "ring buffer 32MiB";
  private static final String SMALL = "pool-in-place tensor 1MiB";
  private static final String HUGE = "pool-in-place tensor 64MiB";
  private static final String JAVA = "pool map 64KiB, by Java serialization";
  private static final String COMPACT = "pool map 64KiB";
  private static final String BUSY = "pool map 64KiB, beside 64 busy threads";
  private static final String WAIT = "pool buffer 64KiB, waiting";
  private static final String SEGMENTS =
      "4 segments of 1MiB and 32MiB and 64MiB, 64 segments of 0B and 64KiB";
  private static final String EMPTY = "pool buffer 0B, round trips";

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final List<String> asked = new ArrayList<>();

  /** What each cell answers, by its name; the first of several answers is used up. */
  private final Map<String, List<Figures>> answers = new HashMap<>();

  /** Each figure of each cell is another number, and good. */
  TargetsTest() {
    answer(MEMCPY, Figures.NONE.withGib(12.5), Figures.NONE.withGib(13.5));
    answer(FUTEX, Figures.NONE.withMicros(5), Figures.NONE.withMicros(7));
    answer(POOL, Figures.NONE.withGib(0.87 * 13));
    answer(RING, Figures.NONE.withGib(0.47 * 13));
    answer(SMALL, Figures.NONE.withRate(50_001));
    answer(HUGE, Figures.NONE.withRate(42_002));
    answer(JAVA, Figures.NONE.withRate(61_003).withMicros(31));
    answer(COMPACT, Figures.NONE.withRate(131_004).withMicros(7.5));
    answer(BUSY, Figures.NONE.withRate(3_005).withMicros(8.7));
    answer(WAIT, new Figures(0, 0, 1.1, 1.2));
    answer(EMPTY, Figures.NONE.withMicros(21.5));
  }

  @Test
  void eachTargetHasItsOwnFigureLimitAndDirection() throws IOException {
    BenchReport report = targets().run();

    List<Object[]> expected =
        List.of(
            line("pool 32MiB", ">=", 0.85, 0.87, ">= 0.85 of memcpy", "0.87 of memcpy"),
            line("ring 32MiB", ">=", 0.45, 0.47, ">= 0.45 of memcpy", "0.47 of memcpy"),
            line("pool in place 1MiB", ">=", 40_000, 50_001, ">= 40000 units/s", "50001 units/s"),
            line("pool in place 64MiB", ">=", 40_000, 42_002, ">= 40000 units/s", "42002 units/s"),
            line(
                "pool in place, 64MiB against 1MiB",
                ">=",
                0.8,
                42_002.0 / 50_001,
                ">= 0.80",
                "0.84"),
            line(
                "pool 64KiB in a map by Java serialization",
                ">=",
                50_000,
                61_003,
                ">= 50000 items/s",
                "61003 items/s"),
            line(
                "pool 64KiB in a map by the compact codec",
                ">=",
                120_000,
                131_004,
                ">= 120000 items/s",
                "131004 items/s"),
            line("consumer's cpu per unit", "<=", 8, 7.5, "<= 8.00 us", "7.50 us"),
            line(
                "consumer's cpu per unit, 64 busy threads against none",
                "<=",
                1.25,
                8.7 / 7.5,
                "<= 1.25",
                "1.16"),
            line("waiting 5 s, consumer", "<", 2, 1.1, "< 2.00 % of a core", "1.10 % of a core"),
            line("waiting 5 s, producer", "<", 2, 1.2, "< 2.00 % of a core", "1.20 % of a core"),
            line("round trip of an empty item, p50", "<=", 30, 21.5, "<= 30.0 us", "21.5 us"));
    List<Map<String, Object>> lines = jsonLines(report);
    for (int i = 0; i < expected.size(); i++) {
      Map<String, Object> found = lines.get(i);
      Object[] line = expected.get(i);
      assertEquals(line[0], found.get("name"));
      assertEquals(line[1], found.get("sign"), found.toString());
      double limit = (double) line[2];
      assertEquals(limit, JsonReader.number(found.get("unscaledLimit")), found.toString());
      assertEquals(limit, JsonReader.number(found.get("limit")), 1e-9 * limit, found.toString());
      double value = (double) line[3];
      assertEquals(value, JsonReader.number(found.get("value")), 1e-9 * value, found.toString());
      assertEquals(line[4], found.get("target"));
      assertEquals(line[5], found.get("measured"));
      assertEquals(true, found.get("holds"), found.toString());
    }
    assertEquals(expected.size(), lines.size());
    assertFalse(report.missedTarget());
    assertEquals("all targets hold", lastLine());
    assertEquals(
        List.of(
            MEMCPY, FUTEX, POOL, RING, MEMCPY, SMALL, HUGE, JAVA, COMPACT, BUSY, WAIT, EMPTY,
            FUTEX),
        asked);
  }

  @ParameterizedTest
  @CsvSource({
    "0.849, 0.451, pool 32MiB",
    "0.851, 0.449, ring 32MiB",
  })
  void aRateBelowAPartOfMemcpyMisses(double pool, double ring, String missed) throws IOException {
    answer(POOL, Figures.NONE.withGib(pool * 13));
    answer(RING, Figures.NONE.withGib(ring * 13));

    assertMissed(missed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "39990|39990|50001|120001|pool in place 1MiB; pool in place 64MiB",
        "50000|39999|50001|120001|pool in place 64MiB; pool in place, 64MiB against 1MiB",
        "50010|40001|50001|120001|pool in place, 64MiB against 1MiB",
        "40001|40001|49999|120001|pool 64KiB in a map by Java serialization",
        "40001|40001|50001|119999|pool 64KiB in a map by the compact codec",
      })
  void aRateBelowItsLimitMisses(
      double small, double huge, double java, double compact, String missed) throws IOException {
    answer(SMALL, Figures.NONE.withRate(small));
    answer(HUGE, Figures.NONE.withRate(huge));
    answer(JAVA, Figures.NONE.withRate(java));
    answer(COMPACT, Figures.NONE.withRate(compact).withMicros(7.5));

    assertMissed(missed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "8.01|10|1.99|1.99|30|consumer's cpu per unit",
        "8|10.1|1.99|1.99|30|consumer's cpu per unit, 64 busy threads against none",
        "8|10|2|1.99|30|waiting 5 s, consumer",
        "8|10|1.99|2|30|waiting 5 s, producer",
        "8|10|1.99|1.99|30.1|round trip of an empty item, p50",
      })
  void aTimeAboveItsLimitMisses(
      double alone, double busy, double consumer, double producer, double trip, String missed)
      throws IOException {
    answer(COMPACT, Figures.NONE.withRate(131_004).withMicros(alone));
    answer(BUSY, Figures.NONE.withMicros(busy));
    answer(WAIT, new Figures(0, 0, consumer, producer));
    answer(EMPTY, Figures.NONE.withMicros(trip));

    assertMissed(missed);
  }

  @Test
  void aMachineOfHalfTheSpeedHasLimitsOfTwiceTheTime() throws IOException {
    answer(MEMCPY, Figures.NONE.withGib(6), Figures.NONE.withGib(6));
    answer(FUTEX, Figures.NONE.withMicros(12), Figures.NONE.withMicros(13));

    List<Map<String, Object>> lines = jsonLines(targets().run());

    assertEquals(List.of(0.85, 0.45), numbers(lines.subList(0, 2), "limit"));
    assertTrue(lines.get(2).get("target").equals(">= 20000 units/s"), lines.toString());
    assertTrue(lines.get(6).get("target").equals(">= 60000 items/s"), lines.toString());
    assertEquals("<= 16.00 us", lines.get(7).get("target"));
    assertEquals(List.of(16.0, 1.25, 2.0, 2.0, 60.0), numbers(lines.subList(7, 12), "limit"));
    assertEquals(
        List.of(8.0, 1.25, 2.0, 2.0, 30.0), numbers(lines.subList(7, 12), "unscaledLimit"));
  }

  @ParameterizedTest
  @CsvSource({"6,12,12", "12,6,12", "6,600,12", "600,6,12", "6,6,8", "60,600,16"})
  void theRoundTripIsTheMeanOfBothWhereASlowOneCountsNoMoreThanTwice(
      double before, double behind, double limit) throws IOException {
    answer(FUTEX, Figures.NONE.withMicros(before), Figures.NONE.withMicros(behind));

    List<Map<String, Object>> lines = jsonLines(targets().run());

    assertEquals(limit, JsonReader.number(lines.get(7).get("limit")), 1e-9);
    assertEquals(40_000 * 8 / limit, JsonReader.number(lines.get(2).get("limit")), 1e-6);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {MEMCPY + "|pool 32MiB|ring 32MiB", FUTEX + "|round trip|<= unknown"})
  void withoutABaselineNothingIsComparedWithIt(String name, String one, String other)
      throws IOException {
    Figures first = answers.get(name).getFirst();
    answer(name, first, Figures.MISSING);

    BenchReport report = targets().run();

    assertTrue(report.missedTarget());
    assertTrue(lastLine().startsWith("missed: "), lastLine());
    assertTrue(lastLine().contains(one), lastLine());
    assertTrue(text.toString(StandardCharsets.UTF_8).contains(other));
    Map<String, Object> inPlace = jsonLines(report).get(2);
    assertNull(inPlace.get("limit"));
    assertEquals(40_000.0, inPlace.get("unscaledLimit"));
  }

  @Test
  void onlyTheCopyScalesWithTheSpeedOfCopies() {
    Scale scale = new Scale(6 * Sizes.GIB, 6);
    long bytes = 64 << 10;
    double copy = 1e6 * bytes / (13 * Sizes.GIB);
    double limit = scale.itemsPerSecond(120_000, bytes);
    assertEquals(1e6 / 120_000 + copy, 1e6 / limit, 1e-6);
    assertEquals(limit, new Scale(1 * Sizes.GIB, 6).itemsPerSecond(120_000, bytes), 1e-3);
    assertEquals(120_000, new Scale(12.1 * Sizes.GIB, 6).itemsPerSecond(120_000, bytes), 1e-3);
  }

  @Test
  void aCellWithoutAnAnswerMissesItsTargets() throws IOException {
    answer(POOL, Figures.MISSING);

    BenchReport report = targets().run();

    assertEquals("missed: pool 32MiB", lastLine());
    Map<String, Object> line = jsonLines(report).getFirst();
    assertEquals("unknown", line.get("measured"));
    assertTrue(line.containsKey("value") && line.get("value") == null, line.toString());
    assertNotNull(report.failure());
  }

  @Test
  void allCellsCanBeToldApartInEveryReport() throws IOException {
    BenchReport report = targets().run();

    String page = HtmlReport.page(report);
    for (String name :
        List.of(
            "pool",
            "pool, by Java serialization",
            "pool, beside 64 busy threads",
            "pool, waiting",
            "futex, round trips")) {
      assertTrue(page.contains("<td>" + name + "</td>"), name);
      assertTrue(page.contains("<span>" + name + "</span>"), name);
    }
    assertTrue(page.contains("aria-label=\"" + BUSY + ": "), page);
    assertTrue(page.contains("<h2>Targets</h2>"), page);
    assertTrue(page.contains("<td>consumer's cpu per unit</td><td>&lt;= 8.00 us</td>"), page);
    assertTrue(page.contains("<dt>pool</dt><dd>" + SEGMENTS + "</dd>"), page);

    List<String> rows =
        text.toString(StandardCharsets.UTF_8).lines().filter(TargetsTest::isRowOfAMap).toList();
    assertEquals(6, rows.size(), rows.toString());
    for (int table = 0; table < 2; table++) {
      assertTrue(rows.get(3 * table).startsWith("pool, by Java serialization  "), rows.toString());
      assertTrue(rows.get(3 * table + 1).startsWith("pool    "), rows.toString());
      assertTrue(rows.get(3 * table + 2).startsWith("pool, beside 64 busy"), rows.toString());
    }
    assertTrue(text.toString(StandardCharsets.UTF_8).contains("; " + SEGMENTS + "\n"));
    assertNotEquals(
        CellName.full(SpecFixture.named("pool", Codec.COMPACT, 0, CellSpec.Measure.LATENCY)),
        CellName.full(SpecFixture.named("pool", Codec.COMPACT, 0, CellSpec.Measure.THROUGHPUT)));
  }

  private static boolean isRowOfAMap(String line) {
    return line.matches("pool.*  map  .*");
  }

  private static Object[] line(
      String name, String sign, double limit, double value, String target, String measured) {
    return new Object[] {name, sign, limit, value, target, measured};
  }

  private static List<Map<String, Object>> jsonLines(BenchReport report) {
    return JsonReader.objects(JsonReader.object(Json.of(report.toJson())).get("targets"));
  }

  private static List<Double> numbers(List<Map<String, Object>> lines, String field) {
    return lines.stream().map(line -> JsonReader.number(line.get(field))).toList();
  }

  private Targets targets() {
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    return new Targets(TargetPlan.PROJECT, 5, 0, Output.of(out, out, null), this::answer);
  }

  private void assertMissed(String missed) throws IOException {
    var _ = targets().run();
    assertEquals("missed: " + missed, lastLine());
  }

  private String lastLine() {
    return text.toString(StandardCharsets.UTF_8).lines().toList().getLast();
  }

  private void answer(String name, Figures... figures) {
    answers.put(name, new ArrayList<>(List.of(figures)));
  }

  private CellResult answer(CellSpec cell) {
    String name = CellName.full(cell);
    asked.add(name);
    Figures figures = answers.get(name).removeFirst();
    if (figures.equals(Figures.MISSING)) {
      throw new CellFailedException(FailureDetail.of("no answer on purpose"));
    }
    return figures.of(cell);
  }

  /**
   * What a cell answers: its rate, its microseconds (of round trips, or of the consumer's thread
   * for an item) and what waiting takes. All other figures of its result are good, and no targets'.
   */
  private record Figures(double rate, double micros, double consumer, double producer) {
    static final Figures NONE = new Figures(0.001, 0.001, 0, 0);
    static final Figures MISSING = new Figures(0, 0, 0, 0);

    Figures withGib(double gib) {
      return withRate(gib * Sizes.GIB / (32 << 20));
    }

    Figures withRate(double itemsPerSecond) {
      return new Figures(itemsPerSecond, micros, consumer, producer);
    }

    Figures withMicros(double value) {
      return new Figures(rate, value, consumer, producer);
    }

    CellResult of(CellSpec cell) {
      return new CellResult(
          cell,
          5,
          Collections.nCopies(5, rate),
          Collections.nCopies(5, micros),
          true,
          1,
          new CellCost(101, 102, 103, 104, 105, 106),
          new Latency(100, micros, micros + 1_000, micros + 2_000),
          new WaitCost(consumer, producer));
    }
  }
}
