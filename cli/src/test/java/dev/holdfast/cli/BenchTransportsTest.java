package dev.holdfast.cli;

import static dev.holdfast.cli.BenchCommandTest.bench;
import static dev.holdfast.cli.BenchCommandTest.cells;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each transport of the benchmark carries, and what is measured of it. */
@ExtendWith(Leftovers.class)
final class BenchTransportsTest {
  @Test
  void pipeAndSocketCarryItemsOfAWorker() {
    CommandRun run =
        bench(
            "--transport",
            "pipe,socket",
            "--payload",
            "floats",
            "--size",
            "80000",
            "--items",
            "20",
            "--passes",
            "1");

    assertEquals(Main.DONE, run.exit(), run.err());
    assertEquals(
        List.of("pipe", "socket"), cells(run).stream().map(cell -> cell.get("transport")).toList());
    for (Map<String, Object> cell : cells(run)) {
      assertEquals("floats", cell.get("payload"));
      assertEquals(true, cell.get("verified"));
      assertTrue(JsonReader.number(cell.get("producerCpuMicrosPerUnit")) > 0, cell.toString());
    }
  }

  @Test
  void passesHaveTheLengthThatFitsWhatTheRehearsalSaw() {
    CommandRun run =
        bench("--transport", "pipe", "--payload", "bytes", "--size", "1MiB", "--passes", "1");

    assertEquals(Main.DONE, run.exit(), run.err());
    Map<String, Object> cell = cells(run).getFirst();
    double seconds =
        JsonReader.number(cell.get("items")) / JsonReader.number(cell.get("itemsPerSecond"));
    assertTrue(seconds > 0.02 && seconds < 5, cell.toString());
    assertEquals(true, cell.get("verified"));
  }

  @Test
  void roundTripsOfNoBytesAreMeasuredAlone() {
    CommandRun run =
        bench(
            "--transport",
            "futex,pool",
            "--measure",
            "latency",
            "--size",
            "0",
            "--items",
            "50",
            "--codec",
            "java");

    assertEquals(Main.DONE, run.exit(), run.err());
    List<Map<String, Object>> latencies =
        JsonReader.objects(JsonReader.object(run.out()).get("latencies"));
    assertEquals(2, latencies.size());
    for (Map<String, Object> cell : latencies) {
      Map<String, Object> latency = JsonReader.fields(cell.get("latencyMicros"));
      assertEquals(50.0, latency.get("samples"));
      assertTrue(JsonReader.number(latency.get("p50")) > 0, cell.toString());
      assertEquals("java", cell.get("codec"));
      assertEquals(true, cell.get("verified"));
    }
    assertTrue(run.err().contains("round trip"), run.err());
  }

  @ParameterizedTest
  @CsvSource({"collected,buffer,1", "shared,'tensor,floats',0"})
  void everyPayloadAndScopeIsDelivered(String scope, String payloads, String busyThreads) {
    CommandRun run =
        bench(
            "--transport",
            "pool",
            "--payload",
            payloads,
            "--size",
            "64KiB",
            "--items",
            "40",
            "--passes",
            "1",
            "--scope",
            scope,
            "--busy-threads",
            busyThreads);

    assertEquals(Main.DONE, run.exit(), run.err());
    assertEquals(
        List.of(payloads.split(",")),
        cells(run).stream().map(cell -> cell.get("payload")).toList());
  }

  @Test
  void unitsFilledInPlaceHaveARateAndNoBytesPerSecond() {
    CommandRun run =
        bench(
            "--transport",
            "pool-in-place",
            "--payload",
            "tensor",
            "--items",
            "50",
            "--passes",
            "1");

    assertEquals(Main.DONE, run.exit(), run.err());
    List<Map<String, Object>> cells = cells(run);
    assertEquals(
        List.of(1048576.0, 67108864.0), cells.stream().map(cell -> cell.get("sizeBytes")).toList());
    for (Map<String, Object> cell : cells) {
      assertEquals(true, cell.get("verified"));
      assertEquals(false, cell.get("payloadFilled"));
      assertEquals(false, cell.get("sharedFill"));
      assertTrue(JsonReader.number(cell.get("itemsPerSecond")) > 0, cell.toString());
      assertFalse(cell.containsKey("bytesPerSecond"), cell.toString());
    }
    assertTrue(run.err().contains("payload not filled"), run.err());
    assertFalse(run.err().contains("GiB/s,"), run.err());
    assertTrue(run.err().contains("of that at 1MiB"), run.err());
  }
}
