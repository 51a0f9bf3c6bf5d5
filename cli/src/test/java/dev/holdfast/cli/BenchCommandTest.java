package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(Leftovers.class)
final class BenchCommandTest {
  @Test
  void eachCellOfTheMatrixIsMeasuredAndVerified() {
    CommandRun run =
        bench(
            "--transport",
            "memcpy,pool,ring,channel,inline",
            "--payload",
            "map",
            "--size",
            "20000",
            "--segments",
            "2",
            "--items",
            "10",
            "--passes",
            "3");

    assertEquals(Main.DONE, run.exit(), run.err());
    List<Map<String, Object>> cells = cells(run);
    List<String> names = new ArrayList<>();
    for (Map<String, Object> cell : cells) {
      names.add(cell.get("transport") + " " + cell.get("payload"));
      assertEquals("confined", cell.get("scope"));
      assertEquals(20000.0, cell.get("sizeBytes"));
      assertEquals(2.0, cell.get("segments"));
      assertEquals(10.0, cell.get("items"));
      assertEquals(true, cell.get("verified"));
      List<?> passes = (List<?>) cell.get("passes");
      assertEquals(3, passes.size());
      double median = JsonReader.number(cell.get("itemsPerSecond"));
      assertTrue(median > 0 && passes.contains(median), cell.toString());
      assertEquals(median * 20000, JsonReader.number(cell.get("bytesPerSecond")), 1e-6 * median);
      assertTrue(JsonReader.number(cell.get("consumerCpuMicrosPerUnit")) > 0, cell.toString());
      assertTrue(JsonReader.number(cell.get("consumerCpuSecondsPerGiB")) > 0, cell.toString());
      assertTrue(JsonReader.number(cell.get("peakPssBytes")) > 10 << 20, cell.toString());
      assertEquals(0.0, cell.get("gcRequests"));
      assertEquals(JsonReader.number(cell.get("spread")) <= 0.3, cell.get("stable"));
      Map<String, Object> latency = JsonReader.fields(cell.get("latencyMicros"));
      double half = JsonReader.number(latency.get("p50"));
      double most = JsonReader.number(latency.get("p99"));
      assertTrue(half > 0 && most >= half, cell.toString());
      assertTrue(JsonReader.number(latency.get("p999")) >= most, cell.toString());
      boolean twoProcesses = !List.of("memcpy", "inline").contains(cell.get("transport"));
      for (String of : List.of("producerCpuSecondsPerGiB", "producerCpuMicrosPerUnit")) {
        assertEquals(twoProcesses, JsonReader.number(cell.get(of)) > 0, cell.toString());
      }
    }
    Map<String, Object> machine = JsonReader.fields(JsonReader.object(run.out()).get("machine"));
    assertEquals(
        Runtime.getRuntime().availableProcessors(),
        (int) JsonReader.number(machine.get("processors")));
    assertEquals(List.of("memcpy map", "pool map", "ring map", "channel map", "inline map"), names);
    assertTrue(run.err().contains("of memcpy"), run.err());
    assertTrue(run.err().contains("; 2 segments\n"), run.err());
    assertTrue(run.err().contains("one item in flight"), run.err());
  }

  @Test
  void whoSaysNothingGetsTheUsualTransportsSizesAndPasses() {
    assertEquals(
        List.of("memcpy buffer 8", "pool buffer 8", "ring buffer 8", "channel buffer 8"),
        defaults("--size", "8"));
    assertEquals(
        List.of(
            "inline buffer 65536",
            "inline buffer 1048576",
            "inline buffer 8388608",
            "inline buffer 33554432"),
        defaults("--transport", "inline"));
  }

  /** Names the cells that are measured when only one option says which. */
  private static List<String> defaults(String option, String value) {
    CommandRun run = bench("--items", "1", option, value);

    assertEquals(Main.DONE, run.exit(), run.err());
    List<String> names = new ArrayList<>();
    for (Map<String, Object> cell : cells(run)) {
      names.add(
          cell.get("transport")
              + " "
              + cell.get("payload")
              + " "
              + (long) JsonReader.number(cell.get("sizeBytes")));
      assertEquals("confined", cell.get("scope"));
      assertEquals("compact", cell.get("codec"));
      assertEquals(9, ((List<?>) cell.get("passes")).size(), cell.toString());
    }
    return names;
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
  void waitingIsNotMeasuredBesideBusyThreads() {
    CommandRun run = bench("--measure", "wait", "--transport", "pool", "--busy-threads", "2");

    assertEquals(Main.BAD_USAGE, run.exit());
    assertTrue(run.err().contains("busyThreads=2"), run.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--transport=pool",
        "--payload=map",
        "--size=1MiB",
        "--shared-fill",
        "--items=10",
        "--scope=shared",
        "--busy-threads=1",
        "--measure=wait",
        "--codec=java"
      })
  void aPresetRefusesWhatItWouldIgnore(String option) {
    // without passes nothing is measured in any case
    CommandRun run = bench("--preset", "targets", "--passes", "0", option);

    assertEquals(Main.BAD_USAGE, run.exit());
    String name = option.split("=", -1)[0];
    assertEquals(
        "holdfast: UsageException: the preset says itself what is measured: preset=targets refused="
            + name
            + "; leave these options out, or --preset\n",
        run.err());
  }

  @Test
  void aPresetTakesTheOptionsThatMeanSomethingThere(@TempDir Path folder) {
    CommandRun run =
        CommandRun.of(
            "bench",
            "--preset=targets",
            "--segments=2",
            "--json=" + folder.resolve("figures.json"),
            "--html=" + folder.resolve("page.html"),
            "--passes=0");

    assertEquals(Main.BAD_USAGE, run.exit());
    assertTrue(run.err().contains("the value is too small: option=--passes"), run.err());
  }

  @Test
  void aRunGoesOnAfterCellsWithoutAGoodAnswerAndFails() {
    CommandRun run =
        bench(
            "--transport",
            "lying,dying,broken,refusing,inline",
            "--size",
            "64KiB",
            "--items",
            "10",
            "--passes",
            "2");

    assertEquals(Main.FAILED, run.exit());
    List<Map<String, Object>> cells = cells(run);
    assertEquals(
        List.of("lying", "refusing", "inline"),
        cells.stream().map(cell -> cell.get("transport")).toList());

    // an item is missing
    assertTrue(run.err().contains("holdfast: CellFailedException: items were missing"), run.err());
    assertEquals(false, cells.get(0).get("verified"));

    // a process dies, and a producer fails
    assertTrue(run.err().contains("exit=3"), run.err());
    assertTrue(run.err().contains("pass 1 does not come"), run.err());

    // flags of a transport reach its process, and its reason the report
    String reason = "flag=raised";
    assertEquals(false, cells.get(1).get("supported"));
    assertEquals(reason, cells.get(1).get("notSupported"));
    assertTrue(run.err().contains("not supported: " + reason), run.err());

    assertEquals(true, cells.get(2).get("verified"));
  }

  @Test
  void aCellThatIsNotSupportedFailsNothing() {
    CommandRun run = bench("--transport", "futex", "--items", "10", "--passes", "1");

    assertEquals(Main.DONE, run.exit(), run.err());
    assertTrue(run.err().contains("not supported: nothing is carried"), run.err());
  }

  static CommandRun bench(String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "bench";
    args[1] = "--json";
    args[2] = "-";
    System.arraycopy(options, 0, args, 3, options.length);
    return CommandRun.of(args);
  }

  static List<Map<String, Object>> cells(CommandRun run) {
    return JsonReader.objects(JsonReader.object(run.out()).get("cells"));
  }
}
