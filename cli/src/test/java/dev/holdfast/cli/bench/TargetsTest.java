package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TargetsTest {
  private static final double MEMCPY = 13 * Sizes.GIB / (32 << 20);

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  /** Items per second by title, where they are not those of a machine as the targets have it. */
  private final Map<String, Double> rates = new HashMap<>();

  private double trip = 6;
  private double emptyTrip = 29;
  private double busyMicros = 9;
  private int copiesThatAnswer = 2;

  @Test
  void onTheMachineTheyWereSetForTheLimitsAreThoseOfTheTargets() throws IOException {
    BenchReport report = targets().run();

    assertFalse(report.missedTarget());
    assertEquals("all targets hold", lastLine());
    assertEquals(
        List.of(
            ">= 0.85 of memcpy",
            ">= 0.45 of memcpy",
            ">= 40000 units/s",
            ">= 40000 units/s",
            ">= 0.80",
            ">= 50000 items/s",
            ">= 120000 items/s",
            "<= 8.00 us",
            "<= 1.25",
            "< 2.00 % of a core",
            "< 2.00 % of a core",
            "<= 30.0 us"),
        report.targets().stream().map(TargetLine::target).toList());
    assertEquals(12, ((List<?>) report.toJson().get("targets")).size());
  }

  @Test
  void eachMissedTargetIsNamedInTheLastLine() throws IOException {
    rates.put("ring buffer 32MiB", 0.44 * MEMCPY);
    emptyTrip = 31;
    busyMicros = 10.1;

    assertTrue(targets().run().missedTarget());
    assertEquals(
        "missed: ring 32MiB; consumer's cpu per unit, 64 busy threads against none; round trip of"
            + " an empty item, p50",
        lastLine());
  }

  @Test
  void aMachineOfHalfTheSpeedHasLimitsOfTwiceTheTime() throws IOException {
    rates.put("memcpy buffer 32MiB", MEMCPY * 6 / 13);
    trip = 12;

    List<String> limits = targets().run().targets().stream().map(TargetLine::target).toList();
    assertTrue(limits.contains(">= 20000 units/s"), limits.toString());
    assertTrue(limits.contains(">= 60000 items/s"), limits.toString());
    assertTrue(limits.contains("<= 16.00 us"), limits.toString());
    assertTrue(limits.contains(">= 0.85 of memcpy"), limits.toString());
  }

  @Test
  void aMachineThatOtherWorkHasMadeSlowHasNoMoreThanTwiceTheTime() throws IOException {
    trip = 60;
    emptyTrip = 61;

    List<String> limits = targets().run().targets().stream().map(TargetLine::target).toList();
    assertTrue(limits.contains(">= 20000 units/s"), limits.toString());
    assertTrue(limits.contains("<= 16.00 us"), limits.toString());
    assertEquals("missed: round trip of an empty item, p50", lastLine());
  }

  @Test
  void withoutABaselineNothingIsComparedWithIt() throws IOException {
    copiesThatAnswer = 1;

    BenchReport report = targets().run();

    assertTrue(report.missedTarget());
    assertEquals("missed: pool 32MiB; ring 32MiB", lastLine());
  }

  @Test
  void onlyTheCopyScalesWithTheSpeedOfCopies() {
    Scale scale = new Scale(6 * Sizes.GIB, 6);
    long bytes = 64 << 10;
    double copy = 1e6 * bytes / (13 * Sizes.GIB);
    double limit = scale.itemsPerSecond(120_000, bytes);
    assertEquals(1e6 / 120_000 + copy, 1e6 / limit, 1e-6);
    assertEquals(120_000, new Scale(12.1 * Sizes.GIB, 6).itemsPerSecond(120_000, bytes), 1e-3);
  }

  @Test
  void aCellWithoutAnAnswerMissesItsTargets() throws IOException {
    rates.put("pool buffer 32MiB", -1.0);

    BenchReport report = targets().run();

    assertEquals("missed: pool 32MiB", lastLine());
    assertEquals("no answer", report.targets().getFirst().measured());
    assertTrue(report.failure() != null);
  }

  private Targets targets() {
    PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    return new Targets(5, 4, Output.of(out, out, null), this::answer);
  }

  private String lastLine() {
    return text.toString(StandardCharsets.UTF_8).lines().toList().getLast();
  }

  private CellResult answer(CellSpec cell) {
    double rate =
        switch (cell.transport()) {
          case "memcpy" -> MEMCPY;
          case "pool" -> cell.payload() == Payload.BUFFER ? 0.86 * MEMCPY : 121_000;
          case "ring" -> 0.46 * MEMCPY;
          default -> cell.sizeBytes() > 1 << 20 ? 41_000 : 50_000;
        };
    double answered = rates.getOrDefault(Bench.title(cell), rate);
    if (answered < 0 || (cell.transport().equals("memcpy") && copiesThatAnswer-- == 0)) {
      throw new CellFailedException(FailureDetail.of("no answer on purpose"));
    }
    double median = cell.transport().equals("futex") ? trip : emptyTrip;
    return new CellResult(
        cell,
        5,
        Collections.nCopies(5, answered),
        Collections.nCopies(5, cell.busyThreads() > 0 ? busyMicros : 7.9),
        true,
        1,
        CellCost.NONE,
        new Latency(100, median, 2 * median, 3 * median),
        new WaitCost(1.9, 0.1));
  }
}
