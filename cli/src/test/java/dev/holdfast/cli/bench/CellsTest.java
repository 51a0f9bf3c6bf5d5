package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.text.Json;
import dev.holdfast.testkit.JsonReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CellsTest {
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final Deque<CellOutcome> answers = new ArrayDeque<>();
  private final Cells cells =
      new Cells(_ -> answers.remove(), new PrintStream(text, true, StandardCharsets.UTF_8));

  @Test
  void aCellOfOneMindIsMeasuredOnce() throws IOException {
    answers.add(rates(true, 100, 110, 129));

    CellResult result = cells.measure(SpecFixture.spec()).orElseThrow();

    assertEquals(1, result.runs());
    Map<String, Object> json = result.toJson();
    assertEquals(29.0 / 110, (double) json.get("spread"), 1e-9);
    assertEquals(true, json.get("stable"));
    assertEquals(100.0, json.get("smallest"));
    assertEquals(129.0, json.get("largest"));
  }

  @Test
  void onePassIsNeitherStableNorUnstable() throws IOException {
    answers.add(rates(true, 100));

    CellResult result = cells.measure(SpecFixture.spec()).orElseThrow();

    assertNull(result.stable());
    assertFalse(result.unstable());
    Map<?, ?> json = JsonReader.object(Json.of(result.toJson()));
    assertTrue(json.containsKey("stable") && json.get("stable") == null, json.toString());
    assertTrue(json.containsKey("spread") && json.get("spread") == null, json.toString());
    assertEquals("verified", HtmlTable.state(result));
  }

  @Test
  void aSpreadOfMoreThanThirtyPercentIsMeasuredOnceMore() throws IOException {
    answers.add(rates(true, 80, 100, 111));
    answers.add(rates(true, 100, 101, 102));

    CellResult result = cells.measure(SpecFixture.spec()).orElseThrow();

    assertEquals(2, result.runs());
    assertEquals(true, result.stable());
    assertEquals(101, result.medianItemsPerSecond());
    assertEquals(1, cells.report(List.of()).outcomes().size());
  }

  @Test
  void aSecondRunWithoutAnAnswerFailsTheReportAndKeepsTheFirstFigures() throws IOException {
    answers.add(rates(true, 80, 100, 111));
    CellRunner once =
        cell -> {
          if (answers.isEmpty()) {
            throw new CellFailedException(CellProcess.describe(cell, "no time is left"));
          }
          return answers.remove();
        };
    Cells interrupted = new Cells(once, new PrintStream(text, true, StandardCharsets.UTF_8));

    CellResult result = interrupted.measure(SpecFixture.spec()).orElseThrow();

    assertEquals(1, result.runs());
    assertTrue(result.unstable());
    BenchReport report = interrupted.report(List.of());
    assertEquals(List.of(result), report.outcomes());
    assertThrows(CellFailedException.class, report::throwFailure);
  }

  @Test
  void aCellThatStaysApartIsMarkedUnstable() throws IOException {
    answers.add(rates(true, 80, 100, 111));
    answers.add(rates(true, 70, 100, 111));
    answers.add(rates(true, 1, 2, 3));

    CellResult result = cells.measure(SpecFixture.spec()).orElseThrow();

    assertTrue(result.unstable());
    assertEquals(false, result.toJson().get("stable"));
    assertEquals(2, result.toJson().get("runs"));
    assertEquals(1, answers.size());
    BenchReport report = cells.report(List.of());
    ByteArrayOutputStream table = new ByteArrayOutputStream();
    new BenchText(report).print(new PrintStream(table, true, StandardCharsets.UTF_8));
    String printed = table.toString(StandardCharsets.UTF_8);
    assertTrue(printed.contains("unstable\n"), printed);
    report.throwFailure();
  }

  @Test
  void passesThatAreTooShortToJudgeAreNotMeasuredOnceMore() throws IOException {
    answers.add(rates(true, 10_000, 20_000, 30_000));

    CellResult result = cells.measure(SpecFixture.spec()).orElseThrow();

    assertTrue(result.unstable());
    assertEquals(1, result.runs());
  }

  @Test
  void aWrongAnswerIsNotMeasuredOnceMoreAndFailsTheRun() throws IOException {
    answers.add(rates(false, 10, 100, 111));

    assertTrue(cells.measure(SpecFixture.spec()).isEmpty());

    BenchReport report = cells.report(List.of());
    assertEquals(1, report.outcomes().size());
    CellFailedException failure = assertThrows(CellFailedException.class, report::throwFailure);
    assertTrue(failure.getMessage().contains("damaged"), failure.getMessage());
  }

  private static CellResult rates(boolean verified, double... itemsPerSecond) {
    List<Double> rates = Arrays.stream(itemsPerSecond).boxed().toList();
    return new CellResult(
        SpecFixture.spec(),
        5,
        rates,
        rates,
        verified,
        1,
        CellCost.NONE,
        Latency.NONE,
        WaitCost.NONE);
  }
}
