package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Table;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The targets of the project, measured. What one thread copies and a round trip by futex come first
 * and scale the limits. A cell without an answer misses its targets.
 */
public final class Targets {
  private static final long SMALL = 64L << 10;
  private static final long MIB = 1L << 20;
  private static final long LARGE = 32L << 20;
  private static final long HUGE = 64L << 20;
  private static final int BUSY_THREADS = 64;
  private static final int MOST_PASSES_BESIDE_BUSY_THREADS = 5;

  private static final double POOL_OF_MEMCPY = 0.85;
  private static final double RING_OF_MEMCPY = 0.45;
  private static final double UNITS_PER_SECOND = 40_000;
  private static final double THE_SAME = 0.8;
  private static final double JAVA_ITEMS_PER_SECOND = 50_000;
  private static final double COMPACT_ITEMS_PER_SECOND = 120_000;
  private static final double CPU_MICROS = 8;
  private static final double NO_WORSE = 1.25;
  private static final double WAIT_PERCENT = 2;
  private static final double ROUND_TRIP_MICROS = 30;

  private final int passes;
  private final int segments;
  private final Cells cells;
  private final PrintStream human;
  private final Output output;
  private final List<TargetLine> lines = new ArrayList<>();

  /**
   * Makes the targets ready.
   *
   * @param passes timed passes of each cell
   * @param segments segments of a pool
   * @param output where the report goes
   * @param verbose whether stacks of failures in other processes are shown
   */
  public Targets(int passes, int segments, Output output, boolean verbose) {
    this(passes, segments, output, new CellProcess(System.err, verbose));
  }

  Targets(int passes, int segments, Output output, CellRunner runner) {
    this.passes = passes;
    this.segments = segments;
    this.output = output;
    human = output.human();
    cells = new Cells(runner, human);
  }

  /**
   * Measures all and reports it; the last line names the targets that were missed.
   *
   * @return the report
   * @throws IOException when a process cannot be started or the report cannot be written
   */
  public BenchReport run() throws IOException {
    measure();
    BenchReport report = cells.report(lines);
    new BenchText(report).print(human);
    output.json(report.toJson());
    print(report);
    return report;
  }

  private void measure() throws IOException {
    OptionalDouble copied =
        measure(throughput("memcpy", Payload.BUFFER, LARGE), CellResult::bytesPerSecond);
    OptionalDouble trip = measure(roundTrip("futex"), result -> result.latency().p50());
    Scale scale = new Scale(copied.orElse(Double.NaN), trip.orElse(Double.NaN));
    human.println(
        Words.format(
            "the limits are for %.2f GiB/s of memcpy and %.1f us of a futex round trip",
            scale.copyBytesPerSecond() / Sizes.GIB, scale.roundTripMicros()));
    copies(scale);
    inPlace(scale);
    smallItems(scale);
    waiting();
    OptionalDouble empty = measure(roundTrip("pool"), result -> result.latency().p50());
    atMost("round trip of an empty item, p50", "%.1f us", scale.micros(ROUND_TRIP_MICROS), empty);
  }

  /** The baseline is taken on both sides of what is compared with it, since memory drifts. */
  private void copies(Scale scale) throws IOException {
    OptionalDouble pool =
        measure(throughput("pool", Payload.BUFFER, LARGE), CellResult::bytesPerSecond);
    OptionalDouble ring =
        measure(throughput("ring", Payload.BUFFER, LARGE), CellResult::bytesPerSecond);
    OptionalDouble again =
        measure(throughput("memcpy", Payload.BUFFER, LARGE), CellResult::bytesPerSecond);
    double base = (scale.copyBytesPerSecond() + again.orElse(Double.NaN)) / 2;
    atLeast("pool 32MiB", "%.2f of memcpy", POOL_OF_MEMCPY, divided(pool, base));
    atLeast("ring 32MiB", "%.2f of memcpy", RING_OF_MEMCPY, divided(ring, base));
  }

  private void inPlace(Scale scale) throws IOException {
    double limit = scale.itemsPerSecond(UNITS_PER_SECOND, 0);
    OptionalDouble small =
        measure(throughput("pool-in-place", Payload.TENSOR, MIB), CellResult::medianItemsPerSecond);
    OptionalDouble huge =
        measure(
            throughput("pool-in-place", Payload.TENSOR, HUGE), CellResult::medianItemsPerSecond);
    atLeast("pool in place 1MiB", "%.0f units/s", limit, small);
    atLeast("pool in place 64MiB", "%.0f units/s", limit, huge);
    OptionalDouble ratio = divided(huge, small.orElse(Double.NaN));
    atLeast("pool in place, 64MiB against 1MiB", "%.2f", THE_SAME, ratio);
  }

  private void smallItems(Scale scale) throws IOException {
    CellSpec java = bench("pool", Payload.MAP, SMALL, CellSpec.Measure.THROUGHPUT, 0, Codec.JAVA);
    atLeast(
        "pool 64KiB in a map by Java serialization",
        "%.0f items/s",
        scale.itemsPerSecond(JAVA_ITEMS_PER_SECOND, SMALL),
        measure(java, CellResult::medianItemsPerSecond));
    CellSpec compact = throughput("pool", Payload.MAP, SMALL);
    List<CellResult> alone = cells.measure(compact).stream().toList();
    atLeast(
        "pool 64KiB in a map by the compact codec",
        "%.0f items/s",
        scale.itemsPerSecond(COMPACT_ITEMS_PER_SECOND, SMALL),
        value(alone, CellResult::medianItemsPerSecond));
    OptionalDouble micros = value(alone, CellResult::medianMicrosPerItem);
    atMost("consumer's cpu per unit", "%.2f us", scale.micros(CPU_MICROS), micros);
    CellSpec busy =
        bench("pool", Payload.MAP, SMALL, CellSpec.Measure.THROUGHPUT, BUSY_THREADS, Codec.COMPACT);
    OptionalDouble beside = measure(busy, CellResult::medianMicrosPerItem);
    atMost(
        "consumer's cpu per unit, 64 busy threads against none",
        "%.2f",
        NO_WORSE,
        divided(beside, micros.orElse(Double.NaN)));
  }

  private void waiting() throws IOException {
    CellSpec wait = bench("pool", Payload.BUFFER, SMALL, CellSpec.Measure.WAIT, 0, Codec.COMPACT);
    List<CellResult> waited = cells.measure(wait).stream().toList();
    OptionalDouble consumer = value(waited, result -> result.waiting().consumerPercent());
    OptionalDouble producer = value(waited, result -> result.waiting().producerPercent());
    below("waiting 5 s, consumer", "%.2f %% of a core", WAIT_PERCENT, consumer);
    below("waiting 5 s, producer", "%.2f %% of a core", WAIT_PERCENT, producer);
  }

  private OptionalDouble measure(CellSpec cell, ToDoubleFunction<CellResult> figure)
      throws IOException {
    return value(cells.measure(cell).stream().toList(), figure);
  }

  private static OptionalDouble value(
      List<CellResult> results, ToDoubleFunction<CellResult> figure) {
    return results.stream().mapToDouble(figure).findFirst();
  }

  private static OptionalDouble divided(OptionalDouble number, double by) {
    return number.stream().map(value -> value / by).filter(ratio -> ratio >= 0).findFirst();
  }

  private void atLeast(String name, String format, double limit, OptionalDouble measured) {
    add(name, ">= ", format, limit, measured, measured.orElse(Double.NaN) >= limit);
  }

  private void atMost(String name, String format, double limit, OptionalDouble measured) {
    add(name, "<= ", format, limit, measured, measured.orElse(Double.NaN) <= limit);
  }

  private void below(String name, String format, double limit, OptionalDouble measured) {
    add(name, "< ", format, limit, measured, measured.orElse(Double.NaN) < limit);
  }

  private void add(
      String name,
      String sign,
      String format,
      double limit,
      OptionalDouble measured,
      boolean holds) {
    String found =
        measured.isPresent() ? Words.format(format, measured.getAsDouble()) : "no answer";
    lines.add(new TargetLine(name, sign + Words.format(format, limit), found, holds));
  }

  private CellSpec throughput(String transport, Payload payload, long size) {
    return bench(transport, payload, size, CellSpec.Measure.THROUGHPUT, 0, Codec.COMPACT);
  }

  private CellSpec roundTrip(String transport) {
    return bench(transport, Payload.BUFFER, 0, CellSpec.Measure.LATENCY, 0, Codec.COMPACT);
  }

  private CellSpec bench(
      String transport,
      Payload payload,
      long size,
      CellSpec.Measure measure,
      int busyThreads,
      Codec codec) {
    return new Bench(
            List.of(transport),
            List.of(payload),
            List.of(size),
            List.of(measure),
            ViewScope.CONFINED,
            0,
            busyThreads > 0 ? Math.min(passes, MOST_PASSES_BESIDE_BUSY_THREADS) : passes,
            segments,
            busyThreads,
            false,
            codec)
        .cells()
        .getFirst();
  }

  private void print(BenchReport report) {
    Table table = new Table(3, "what", "target", "measured", "holds");
    for (TargetLine line : report.targets()) {
      table.row(line.name(), line.target(), line.measured(), line.holds() ? "yes" : "NO");
    }
    human.println();
    table.print(human);
    human.println();
    String missed = missed(report.targets().stream());
    human.println(missed.isEmpty() ? "all targets hold" : "missed: " + missed);
    human.flush();
  }

  private static String missed(Stream<TargetLine> lines) {
    return lines
        .filter(line -> !line.holds())
        .map(TargetLine::name)
        .collect(Collectors.joining("; "));
  }
}
