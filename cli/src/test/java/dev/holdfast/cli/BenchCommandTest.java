package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(Leftovers.class)
final class BenchCommandTest {
  @Test
  void eachCellOfTheMatrixIsMeasuredAndVerified() {
    CommandRun run =
        bench(
            "--transport",
            "memcpy,pool,channel,inline",
            "--payload",
            "map",
            "--size",
            "20000",
            "--items",
            "30",
            "--passes",
            "3");

    assertEquals(Main.DONE, run.exit(), run.err());
    List<Map<String, Object>> cells = cells(run);
    List<String> names = new ArrayList<>();
    for (Map<String, Object> cell : cells) {
      names.add(cell.get("transport") + " " + cell.get("payload"));
      assertEquals("confined", cell.get("scope"));
      assertEquals(20000.0, cell.get("sizeBytes"));
      assertEquals(30.0, cell.get("items"));
      assertEquals(true, cell.get("verified"));
      List<?> passes = (List<?>) cell.get("passes");
      assertEquals(3, passes.size());
      double median = JsonReader.number(cell.get("itemsPerSecond"));
      assertTrue(median > 0 && passes.contains(median), cell.toString());
      assertEquals(median * 20000, JsonReader.number(cell.get("bytesPerSecond")), 1e-6 * median);
      assertTrue(JsonReader.number(cell.get("consumerCpuMicrosPerUnit")) > 0, cell.toString());
    }
    assertEquals(List.of("memcpy map", "pool map", "channel map", "inline map"), names);
    assertTrue(run.err().contains("of memcpy"), run.err());
  }

  @ParameterizedTest
  @CsvSource({"collected,buffer", "shared,'tensor,bytes'"})
  void everyPayloadAndScopeIsDelivered(String scope, String payloads) {
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
            "2",
            "--scope",
            scope,
            "--busy-threads",
            "2");

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
            "2");

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

  @ParameterizedTest
  @CsvSource({"pool-in-place,bytes,false", "pool,tensor,true"})
  void whatCannotBeFilledInPlaceIsRefused(String transport, String payload, boolean shared) {
    List<String> options = new ArrayList<>(List.of("--transport", transport, "--payload", payload));
    if (shared) {
      options.add("--shared-fill");
    }
    CommandRun run = bench(options.toArray(String[]::new));

    assertEquals(Main.BAD_USAGE, run.exit());
    assertTrue(run.err().contains("filled in place"), run.err());
  }

  @Test
  void aMissingItemFailsTheRunAndIsReported() {
    CommandRun run =
        bench("--transport", "lying,inline", "--size", "64KiB", "--items", "10", "--passes", "2");

    assertEquals(Main.FAILED, run.exit());
    assertTrue(run.err().contains("holdfast: CellFailedException: "), run.err());
    assertEquals(
        List.of(false, true), cells(run).stream().map(cell -> cell.get("verified")).toList());
  }

  @Test
  void aProcessThatDiesFailsTheRun() {
    CommandRun run =
        bench("--transport", "dying,inline", "--size", "64KiB", "--items", "10", "--passes", "1");

    assertEquals(Main.FAILED, run.exit());
    assertTrue(run.err().contains("exit=3"), run.err());
    assertEquals(1, cells(run).size());
  }

  private static CommandRun bench(String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "bench";
    args[1] = "--json";
    args[2] = "-";
    System.arraycopy(options, 0, args, 3, options.length);
    return CommandRun.of(args);
  }

  private static List<Map<String, Object>> cells(CommandRun run) {
    return JsonReader.objects(JsonReader.object(run.out()).get("cells"));
  }
}
