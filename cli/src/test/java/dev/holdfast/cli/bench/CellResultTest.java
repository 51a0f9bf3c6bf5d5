package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.cli.text.Json;
import dev.holdfast.testkit.JsonReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The fields of a cell in the JSON document: their names, and how each follows from what was seen.
 */
final class CellResultTest {
  @Test
  void everyFigureOfAThroughputCellIsInItsField() {
    // four passes of 512 items of 1 MiB are 2 GiB
    CellResult result =
        new CellResult(
            SpecFixture.spec(Payload.TENSOR, 1 << 20, 512, CellSpec.Measure.THROUGHPUT),
            512,
            List.of(100.0, 90.0, 120.0, 104.0),
            List.of(7.0, 5.0, 6.0, 9.0),
            true,
            2,
            new CellCost(3, 1, 8.25, 12, 4, 123_456_789),
            new Latency(77, 10.5, 20.5, 30.5),
            WaitCost.NONE);

    Map<String, Object> expected = identity("tensor", 1 << 20);
    expected.put("items", 512.0);
    expected.put("passes", List.of(100.0, 90.0, 120.0, 104.0));
    expected.put("itemsPerSecond", 102.0);
    expected.put("smallest", 90.0);
    expected.put("largest", 120.0);
    expected.put("spread", 30.0 / 102);
    expected.put("stable", true);
    expected.put("runs", 2.0);
    expected.put("payloadFilled", true);
    expected.put("bytesPerSecond", 102.0 * (1 << 20));
    expected.put("producerCpuSecondsPerGiB", 0.5);
    expected.put("consumerCpuSecondsPerGiB", 1.5);
    expected.put("producerCpuMicrosPerUnit", 8.25);
    expected.put("consumerCpuMicrosPerUnit", 6.5);
    expected.put("peakPssBytes", 123_456_789.0);
    expected.put("latencyMicros", Map.of("p50", 10.5, "p99", 20.5, "p999", 30.5, "samples", 77.0));
    expected.put("gcMillis", 12.0);
    expected.put("gcRequests", 4.0);
    expected.put("verified", true);
    assertFields(expected, result);
  }

  @Test
  void roundTripsAndWaitsHaveTheirOwnFigures() {
    CellResult trips =
        new CellResult(
            SpecFixture.spec(Payload.BUFFER, 0, 5, CellSpec.Measure.LATENCY),
            0,
            List.of(),
            List.of(),
            true,
            1,
            CellCost.NONE,
            new Latency(5, 1.5, 2.5, 3.5),
            WaitCost.NONE);
    Map<String, Object> expected = identity("buffer", 0);
    expected.put("latencyMicros", Map.of("p50", 1.5, "p99", 2.5, "p999", 3.5, "samples", 5.0));
    expected.put("verified", true);
    assertFields(expected, trips);

    CellResult waits =
        new CellResult(
            SpecFixture.spec(Payload.BUFFER, 8, 5, CellSpec.Measure.WAIT),
            0,
            List.of(),
            List.of(),
            false,
            1,
            CellCost.NONE,
            Latency.NONE,
            new WaitCost(0.25, 0.75));
    expected = identity("buffer", 8);
    expected.put("waitSeconds", 5.0);
    expected.put("consumerCorePercent", 0.25);
    expected.put("producerCorePercent", 0.75);
    expected.put("verified", false);
    assertFields(expected, waits);
  }

  private static Map<String, Object> identity(String payload, int sizeBytes) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("transport", "inline");
    fields.put("payload", payload);
    fields.put("scope", "confined");
    fields.put("codec", "compact");
    fields.put("sizeBytes", (double) sizeBytes);
    fields.put("segments", 4.0);
    fields.put("busyThreads", 0.0);
    return fields;
  }

  private static void assertFields(Map<String, Object> expected, CellResult result) {
    assertEquals(expected, JsonReader.object(Json.of(result.toJson())));
  }
}
