package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.loader.pipeline.StageStats;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a finished demo prints. */
final class DemoReportTest {
  private static final String HEAD =
      "stage        threads    items  failed   busy s   p50 ms   p99 ms  queue";

  private static String printed(List<StageStats> stages) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DemoReport("pool", List.of(new Epoch()), 2, 1, 3, 4, 5, ArenaStats.EMPTY, stages, 0, 0)
        .print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static StageStats stage(
      String name, int threads, long items, long failures, long millis, double queue) {
    Duration busy = Duration.ofMillis(millis);
    return new StageStats(
        name, threads, items, failures, busy, busy.dividedBy(8), busy.dividedBy(2), queue, 4);
  }

  @Test
  void eachStageHasALineWithItsFiguresInTheirColumns() {
    String text =
        printed(
            List.of(stage("source", 1, 575, 0, 10, 0), stage("decode", 2, 575, 16, 12_340, 0.876)));
    List<String> lines = text.lines().toList();
    int head = lines.indexOf(HEAD);
    assertEquals(lines.size() - 3, head, text);
    assertEquals(
        List.of(
            "source             1      575       0     0.01    1.250    5.000     0%",
            "decode             2      575      16    12.34 1542.500 6170.000    88%"),
        lines.subList(head + 1, lines.size()));
  }

  @Test
  void withoutStagesThereIsNoTable() {
    String text = printed(List.of());
    assertFalse(text.contains("stage "), text);
  }
}
