package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.bench.TargetLine.Side;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Table;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The targets of the project, measured. What one thread copies and a round trip by futex are taken
 * on both sides of what is compared with them, since machines drift, and their means scale the
 * limits. A cell without an answer misses its targets.
 */
public final class Targets {
  private static final String CORE = "%.2f %% of a core";

  private final TargetPlan plan;
  private final TargetLimits limits;
  private final int passes;
  private final int segments;
  private final Cells cells;
  private final PrintStream human;
  private final Output output;
  private final List<TargetLine> lines = new ArrayList<>();

  /**
   * Makes the targets ready.
   *
   * @param plan what is measured, and how good it has to be
   * @param passes timed passes of each cell
   * @param segments segments of a pool, or 0 for a number that fits the size
   * @param output where the report goes
   * @param verbose whether stacks of failures in other processes are shown
   */
  public Targets(TargetPlan plan, int passes, int segments, Output output, boolean verbose) {
    this(plan, passes, segments, output, new CellProcess(System.err, verbose, plan.longest()));
  }

  Targets(TargetPlan plan, int passes, int segments, Output output, CellRunner runner) {
    this.plan = plan;
    limits = plan.limits();
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
    double copied = bytesPerSecond("memcpy");
    double trip = roundTripMicros("futex");
    double pool = bytesPerSecond("pool");
    double ring = bytesPerSecond("ring");
    double copiedAgain = bytesPerSecond("memcpy");
    double small = itemsPerSecond(throughput("pool-in-place", Payload.TENSOR, plan.unitBytes()));
    double huge = itemsPerSecond(throughput("pool-in-place", Payload.TENSOR, plan.hugeBytes()));
    double java = itemsPerSecond(map(0, Codec.JAVA));
    Optional<CellResult> compact = cells.measure(map(0, Codec.COMPACT));
    Optional<CellResult> busy = cells.measure(map(plan.busyThreads(), Codec.COMPACT));
    Optional<CellResult> waited = cells.measure(waiting());
    double empty = roundTripMicros("pool");
    double tripAgain = roundTripMicros("futex");

    Scale scale = Scale.between(new Scale(copied, trip), new Scale(copiedAgain, tripAgain));
    human.println(
        Words.format(
            "the limits are for %s GiB/s of memcpy and %s us of a futex round trip",
            Words.figure("%.2f", scale.copyBytesPerSecond() / Sizes.GIB),
            Words.figure("%.1f", scale.roundTripMicros())));
    copies(pool / scale.copyBytesPerSecond(), ring / scale.copyBytesPerSecond());
    inPlace(scale, small, huge);
    smallItems(scale, java, value(compact, CellResult::medianItemsPerSecond));
    consumerCpu(scale, micros(compact), micros(busy));
    add("waiting 5 s, consumer", Side.BELOW, CORE, limits.waitPercent(), consumer(waited));
    add("waiting 5 s, producer", Side.BELOW, CORE, limits.waitPercent(), producer(waited));
    double tripMicros = limits.roundTripMicros();
    String name = "round trip of an empty item, p50";
    add(name, Side.AT_MOST, "%.1f us", tripMicros, scale.micros(tripMicros), empty);
  }

  private void copies(double pool, double ring) {
    String size = " " + Sizes.format(plan.largeBytes());
    add("pool" + size, Side.AT_LEAST, "%.2f of memcpy", limits.poolOfMemcpy(), pool);
    add("ring" + size, Side.AT_LEAST, "%.2f of memcpy", limits.ringOfMemcpy(), ring);
  }

  private void inPlace(Scale scale, double small, double huge) {
    double unscaled = limits.unitsPerSecond();
    double limit = scale.itemsPerSecond(unscaled, 0);
    String units = "%.0f units/s";
    String size = Sizes.format(plan.unitBytes());
    String hugeSize = Sizes.format(plan.hugeBytes());
    add("pool in place " + size, Side.AT_LEAST, units, unscaled, limit, small);
    add("pool in place " + hugeSize, Side.AT_LEAST, units, unscaled, limit, huge);
    String against = "pool in place, " + hugeSize + " against " + size;
    add(against, Side.AT_LEAST, "%.2f", limits.hugeOfUnit(), huge / small);
  }

  private void smallItems(Scale scale, double java, double compact) {
    smallItems(scale, "Java serialization", limits.javaItemsPerSecond(), java);
    smallItems(scale, "the compact codec", limits.compactItemsPerSecond(), compact);
  }

  private void smallItems(Scale scale, String codec, double unscaled, double rate) {
    String name = "pool " + Sizes.format(plan.smallBytes()) + " in a map by " + codec;
    double limit = scale.itemsPerSecond(unscaled, plan.smallBytes());
    add(name, Side.AT_LEAST, "%.0f items/s", unscaled, limit, rate);
  }

  private void consumerCpu(Scale scale, double alone, double busy) {
    String name = "consumer's cpu per unit";
    double micros = limits.cpuMicros();
    add(name, Side.AT_MOST, "%.2f us", micros, scale.micros(micros), alone);
    String against = name + ", " + plan.busyThreads() + " busy threads against none";
    add(against, Side.AT_MOST, "%.2f", limits.busyOfAlone(), busy / alone);
  }

  private double bytesPerSecond(String transport) throws IOException {
    CellSpec cell = throughput(transport, Payload.BUFFER, plan.largeBytes());
    return value(cells.measure(cell), CellResult::bytesPerSecond);
  }

  private double itemsPerSecond(CellSpec cell) throws IOException {
    return value(cells.measure(cell), CellResult::medianItemsPerSecond);
  }

  private double roundTripMicros(String transport) throws IOException {
    CellSpec cell = bench(transport, Payload.BUFFER, 0, CellSpec.Measure.LATENCY, 0, Codec.COMPACT);
    return value(cells.measure(cell), result -> result.latency().p50());
  }

  private static double micros(Optional<CellResult> result) {
    return value(result, CellResult::medianMicrosPerItem);
  }

  private static double consumer(Optional<CellResult> waited) {
    return value(waited, result -> result.waiting().consumerPercent());
  }

  private static double producer(Optional<CellResult> waited) {
    return value(waited, result -> result.waiting().producerPercent());
  }

  /** Returns a figure of a cell, NaN when the cell has no answer. */
  private static double value(Optional<CellResult> result, ToDoubleFunction<CellResult> figure) {
    return result.stream().mapToDouble(figure).findFirst().orElse(Double.NaN);
  }

  /** Adds a target that is the same on all machines. */
  private void add(String name, Side side, String format, double limit, double value) {
    add(name, side, format, limit, limit, value);
  }

  private void add(
      String name, Side side, String format, double unscaledLimit, double limit, double value) {
    lines.add(new TargetLine(name, side, format, unscaledLimit, limit, value));
  }

  private CellSpec map(int busyThreads, Codec codec) {
    return bench(
        "pool", Payload.MAP, plan.smallBytes(), CellSpec.Measure.THROUGHPUT, busyThreads, codec);
  }

  private CellSpec waiting() {
    return bench(
        "pool", Payload.BUFFER, plan.smallBytes(), CellSpec.Measure.WAIT, 0, Codec.COMPACT);
  }

  private CellSpec throughput(String transport, Payload payload, long size) {
    return bench(transport, payload, size, CellSpec.Measure.THROUGHPUT, 0, Codec.COMPACT);
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
            plan.items(),
            passes,
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
