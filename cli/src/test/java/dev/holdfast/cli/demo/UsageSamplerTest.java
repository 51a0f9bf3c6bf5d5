package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaStats;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class UsageSamplerTest {
  @Test
  void whatNoProcessTellsIsUnknown() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    try (UsageSampler usage = new UsageSampler(List.of(gone.pid()))) {
      usage.sample();

      assertTrue(usage.parentCpuSeconds() >= 0);
      assertTrue(Double.isNaN(usage.workerCpuSeconds()));
      assertTrue(Double.isNaN(usage.peakPssBytes()));
      DemoReport report = report(usage);
      Map<String, Object> json = report.toJson();
      assertTrue(json.containsKey("peakPssBytes"));
      assertNull(json.get("peakPssBytes"));
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      report.print(new PrintStream(text, true, StandardCharsets.UTF_8));
      String printed = text.toString(StandardCharsets.UTF_8);
      assertTrue(printed.contains(" s parent, unknown worker\n"), printed);
      assertTrue(printed.contains("unknown, all processes\n"), printed);
    }
  }

  @Test
  void theMostThatWasSeenCounts() {
    try (UsageSampler usage = new UsageSampler(List.of(ProcessHandle.current().pid()))) {
      usage.sample();
      double first = usage.peakPssBytes();
      usage.sample();

      assertTrue(first > 20 << 20, "peakPssBytes=" + first);
      assertTrue(usage.peakPssBytes() >= first);
      assertTrue(usage.workerCpuSeconds() > 0);
    }
  }

  private static DemoReport report(UsageSampler usage) {
    return new DemoReport(
        "pool",
        List.of(new Epoch()),
        1,
        1,
        usage.parentCpuSeconds(),
        usage.workerCpuSeconds(),
        usage.peakPssBytes(),
        new ArenaStats(0, 0, 0, 0, 0, -1, "", 0, 0, 0, 0, 0, 0, 0, 0),
        List.of(),
        0,
        0);
  }
}
