package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.bench.TargetLimits;
import dev.holdfast.cli.bench.TargetPlan;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The preset of targets as the command runs it: all of its cells in processes of their own, but
 * small, and with limits that no machine misses or none holds.
 */
@ExtendWith(Leftovers.class)
final class TargetsCommandTest {
  private static final int SMALL = 8 << 10;
  private static final int UNIT = 16 << 10;
  private static final int LARGE = 32 << 10;
  private static final int HUGE = 64 << 10;
  private static final int ITEMS = 20;

  private static final double ANY_RATE = 1e-3;
  private static final double ANY_TIME = 1e12;
  private static final double NO_RATE = 1e15;

  /** The third is that of units in place, which two targets have; the seventh is the consumer's. */
  private static final TargetLimits SOME_IMPOSSIBLE =
      new TargetLimits(0, 0, NO_RATE, 0, ANY_RATE, ANY_RATE, 0, ANY_TIME, ANY_TIME, ANY_TIME);

  @TempDir private Path folder;

  @Test
  void aRunMeasuresEachCellAndEndsWithOneForTargetsThatAreMissed() throws Exception {
    CommandRun run = targets(Duration.ofMinutes(10));

    assertEquals(Main.FAILED, run.exit(), run.err() + run.out());
    assertEquals(
        "missed: pool in place 16KiB; pool in place 64KiB; consumer's cpu per unit", lastLine(run));
    // all cells have an answer, so nothing but the targets makes the run fail
    assertEquals("", run.err());

    Map<String, Object> document = JsonReader.object(Files.readString(json()));
    List<Map<String, Object>> targets = JsonReader.objects(document.get("targets"));
    assertEquals(12, targets.size());
    assertEquals(
        List.of(true, true, false, false, true, true, true, false, true, true, true, true),
        targets.stream().map(target -> target.get("holds")).toList());
    for (Map<String, Object> target : targets) {
      assertTrue(Double.isFinite(JsonReader.number(target.get("value"))), target.toString());
    }
    List<Map<String, Object>> cells = JsonReader.objects(document.get("cells"));
    assertEquals(
        List.of(
            "memcpy buffer 32768",
            "pool buffer 32768",
            "ring buffer 32768",
            "memcpy buffer 32768",
            "pool-in-place tensor 16384",
            "pool-in-place tensor 65536",
            "pool map 8192",
            "pool map 8192",
            "pool map 8192"),
        cells.stream().map(TargetsCommandTest::named).toList());
    assertEquals(
        List.of("java", "compact", "compact"),
        cells.subList(6, 9).stream().map(cell -> cell.get("codec")).toList());
    assertEquals(2.0, cells.getLast().get("busyThreads"));
    for (Map<String, Object> cell : cells) {
      assertEquals(true, cell.get("verified"), cell.toString());
      assertEquals((double) ITEMS, cell.get("items"));
      // at least five, when nobody says how many
      assertEquals(9, ((List<?>) cell.get("passes")).size(), cell.toString());
    }
    Map<String, Object> waited = JsonReader.objects(document.get("waits")).getFirst();
    assertEquals(5.0, waited.get("waitSeconds"));
    assertTrue(JsonReader.number(waited.get("consumerCorePercent")) >= 0, waited.toString());
    assertTrue(JsonReader.number(waited.get("producerCorePercent")) >= 0, waited.toString());
    assertEquals(
        List.of("futex buffer 0", "pool buffer 0", "futex buffer 0"),
        JsonReader.objects(document.get("latencies")).stream()
            .map(TargetsCommandTest::named)
            .toList());
    assertTrue(Files.readString(html()).contains("<h2>Targets</h2>"));
  }

  @Test
  void cellsThatNoTimeIsLeftForHaveNoAnswerAndMissTheirTargets() {
    CommandRun run = targets(Duration.ofNanos(1));

    assertEquals(Main.FAILED, run.exit());
    String missed = lastLine(run);
    assertTrue(missed.startsWith("missed: pool 32KiB; ring 32KiB; "), missed);
    assertEquals(12, missed.split("; ", -1).length, missed);
    assertTrue(
        run.err().startsWith("holdfast: CellFailedException: no time is left for the cell"),
        run.err());
  }

  // ten minutes in all, with what the last process may take to end
  @Test
  void thePresetIsDoneWithinTenMinutes() {
    assertTrue(
        TargetPlan.PROJECT.longest().plusSeconds(20).compareTo(Duration.ofMinutes(10)) < 0,
        TargetPlan.PROJECT.toString());
  }

  private CommandRun targets(Duration longest) {
    TargetPlan plan = new TargetPlan(SMALL, UNIT, LARGE, HUGE, 2, ITEMS, longest, SOME_IMPOSSIBLE);
    return CommandRun.of(
        plan, "bench", "--preset", "targets", "--json=" + json(), "--html=" + html());
  }

  private Path json() {
    return folder.resolve("figures.json");
  }

  private Path html() {
    return folder.resolve("page.html");
  }

  private static String named(Map<String, Object> cell) {
    return cell.get("transport")
        + " "
        + cell.get("payload")
        + " "
        + (long) JsonReader.number(cell.get("sizeBytes"));
  }

  private static String lastLine(CommandRun run) {
    return run.out().lines().toList().getLast();
  }
}
