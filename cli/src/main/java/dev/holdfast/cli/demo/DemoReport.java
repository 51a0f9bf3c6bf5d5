package dev.holdfast.cli.demo;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.cli.text.Json;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import dev.holdfast.loader.pipeline.StageStats;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The figures of a finished demo.
 *
 * @param transport how batches came
 * @param epochs what each pass gave, at least one
 * @param seconds from the first request to the end of the last epoch
 * @param startSeconds from the start of the demo until the first request could be made
 * @param parentCpuSeconds processor time of this process since the start of the demo; NaN when it
 *     could not be read, as the next two
 * @param workerCpuSeconds processor time of all workers, 0 without one
 * @param peakPssBytes the most memory that all processes had in use at a time
 * @param arena the arenas' figures at the end
 * @param stages the figures of the stages of a region's pipeline, none without one
 * @param arenaBytes the size of the arena's memory
 * @param pinnedBytes bytes that were page-locked at the end
 */
record DemoReport(
    String transport,
    List<Epoch> epochs,
    double seconds,
    double startSeconds,
    double parentCpuSeconds,
    double workerCpuSeconds,
    double peakPssBytes,
    ArenaStats arena,
    List<StageStats> stages,
    long arenaBytes,
    long pinnedBytes) {
  private static final double NANOS = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  static DemoReport of(
      DemoOptions options,
      List<Epoch> epochs,
      double seconds,
      double startSeconds,
      UsageSampler usage,
      ArenaStats arena,
      List<StageStats> stages,
      long arenaBytes,
      long pinnedBytes) {
    return new DemoReport(
        Words.lower(options.transport()),
        epochs,
        seconds,
        startSeconds,
        usage.parentCpuSeconds(),
        usage.workerCpuSeconds(),
        usage.peakPssBytes(),
        arena,
        stages,
        arenaBytes,
        pinnedBytes);
  }

  boolean epochsAgree() {
    return epochs.stream().allMatch(epochs.getFirst()::agrees);
  }

  /** Returns the bytes of all pixels, over all epochs. */
  private long bytes() {
    return epochs.stream().mapToLong(Epoch::bytes).sum();
  }

  private long items() {
    return epochs.stream().mapToLong(Epoch::delivered).sum();
  }

  Map<String, Object> toJson() {
    Epoch first = epochs.getFirst();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("transport", transport);
    fields.put("delivered", first.delivered());
    fields.put("failed", first.failures().size());
    fields.put("failures", first.failures().stream().map(DemoReport::toJson).toList());
    fields.put("mean", first.mean());
    fields.put("std", first.deviation());
    fields.put("epochMean", epochs.stream().map(Epoch::mean).toList());
    fields.put("epochStd", epochs.stream().map(Epoch::deviation).toList());
    fields.put("seconds", seconds);
    fields.put("startSeconds", startSeconds);
    fields.put("epochSeconds", epochs.stream().mapToDouble(Epoch::seconds).toArray());
    fields.put("bytes", bytes());
    fields.put("parentCpuSeconds", parentCpuSeconds);
    fields.put("workerCpuSeconds", workerCpuSeconds);
    fields.put("peakPssBytes", Json.whole(peakPssBytes));
    fields.put("gcRequests", arena.gcRequests());
    fields.put("unitsPublished", arena.published());
    fields.put("unitsReclaimed", arena.reclaimed());
    fields.put("arenaBytes", arenaBytes);
    fields.put("pinnedBytes", pinnedBytes);
    if (!stages.isEmpty()) {
      fields.put("stages", stages.stream().map(DemoReport::toJson).toList());
    }
    return fields;
  }

  private static Map<String, Object> toJson(StageStats stage) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", stage.name());
    fields.put("concurrency", stage.concurrency());
    fields.put("items", stage.items());
    fields.put("failures", stage.failures());
    fields.put("busySeconds", stage.busy().toNanos() / NANOS);
    fields.put("p50Millis", stage.p50().toNanos() / NANOS_PER_MILLI);
    fields.put("p99Millis", stage.p99().toNanos() / NANOS_PER_MILLI);
    fields.put("queueOccupancy", stage.queueOccupancy());
    return fields;
  }

  private static Map<String, Object> toJson(PictureFailure failure) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", failure.name());
    fields.put("reason", failure.reason());
    return fields;
  }

  void print(PrintStream target) {
    Epoch first = epochs.getFirst();
    line(target, "delivered", "%d pictures, %d failed", first.delivered(), first.failures().size());
    for (PictureFailure failure : first.failures()) {
      target.println("  " + failure.name() + ": " + failure.reason());
    }
    for (int i = 0; i < (epochsAgree() ? 1 : epochs.size()); i++) {
      line(target, "mean", "%s", numbers(epochs.get(i).mean()));
      line(target, "deviation", "%s", numbers(epochs.get(i).deviation()));
    }
    line(
        target,
        "throughput",
        "%.1f items/s, %.1f MiB/s: %.2f s for %d epoch(s) after %.2f s to start",
        items() / seconds,
        bytes() / Sizes.MIB / seconds,
        seconds,
        epochs.size(),
        startSeconds);
    String parent = Words.figure("%.2f s", parentCpuSeconds);
    line(target, "cpu", "%s parent, %s worker", parent, Words.figure("%.2f s", workerCpuSeconds));
    String memory = Words.figure("%.1f MiB at most", peakPssBytes / Sizes.MIB);
    line(target, "memory", "%s, all processes", memory);
    line(
        target,
        "arena",
        "%s, %.1f MiB, %d units published, %d reclaimed, %d GC requests",
        transport,
        arenaBytes / Sizes.MIB,
        arena.published(),
        arena.reclaimed(),
        arena.gcRequests());
    printStages(target);
    target.flush();
  }

  private void printStages(PrintStream target) {
    if (stages.isEmpty()) {
      return;
    }
    target.println("stage        threads    items  failed   busy s   p50 ms   p99 ms  queue");
    for (StageStats stage : stages) {
      target.println(
          Words.format(
              "%-12s %7d %8d %7d %8.2f %8.3f %8.3f %5.0f%%",
              stage.name(),
              stage.concurrency(),
              stage.items(),
              stage.failures(),
              stage.busy().toNanos() / NANOS,
              stage.p50().toNanos() / NANOS_PER_MILLI,
              stage.p99().toNanos() / NANOS_PER_MILLI,
              100 * stage.queueOccupancy()));
    }
  }

  private static void line(PrintStream target, String name, String format, Object... values) {
    target.println(Words.format("%-11s", name + ":") + " " + Words.format(format, values));
  }

  private static String numbers(double[] numbers) {
    return numbers.length == 0
        ? "none"
        : Arrays.stream(numbers)
            .mapToObj(number -> Words.format("%.6f", number))
            .collect(Collectors.joining(" "));
  }
}
