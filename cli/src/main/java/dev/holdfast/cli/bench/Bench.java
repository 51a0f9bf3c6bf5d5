package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.UsageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A benchmark: the cells of a matrix, each in fresh processes, one at a time.
 *
 * @param transports names of transports
 * @param payloads kinds of items
 * @param sizes sizes of items in bytes; when empty, those that each transport is measured with
 * @param measures what is measured
 * @param scope the lifetime of views
 * @param items items in each timed pass, or 0 for a number that fits size and transport
 * @param passes timed passes
 * @param segments segments of a pool, or 0 for a number that fits the size
 * @param busyThreads threads that spin in the consumer's process
 * @param sharedFill whether memory that is filled in place may be filled by several threads
 * @param codec how what is not a payload is written
 */
public record Bench(
    List<String> transports,
    List<Payload> payloads,
    List<Long> sizes,
    List<CellSpec.Measure> measures,
    ViewScope scope,
    int items,
    int passes,
    int segments,
    int busyThreads,
    boolean sharedFill,
    Codec codec) {
  private static final int FEWEST_ITEMS = 16;
  private static final int MOST_ITEMS_BESIDE_BUSY_THREADS = 4_000;

  /**
   * Enough to have all code compiled by the optimizing compiler. What is not compiled when busy
   * threads start stays slow for the whole cell, since the compiler gets no processor either. A
   * cell's process stops sooner when it takes too long.
   */
  private static final int MOST_REHEARSAL_ITEMS = 2_000_000;

  private static final int MOST_WARM_UP_ITEMS = 4_000;
  private static final long WARM_UP_BYTES = 256L << 20;

  /**
   * What a pool of small items has at least, so that neither side waits for the other each time.
   */
  private static final long SMALL_POOL_BYTES = 4L << 20;

  private static final int FEWEST_SEGMENTS = 4;
  private static final int MOST_SEGMENTS = 64;

  /**
   * Measures all cells and reports them. What was measured is reported also when a cell failed.
   *
   * @param output where the report goes
   * @param verbose whether stacks of failures in other processes are shown
   * @return the report, which knows of failures
   * @throws UsageException when the matrix makes no sense; nothing was measured
   * @throws IOException when a process cannot be started or the report cannot be written
   */
  public BenchReport run(Output output, boolean verbose) throws IOException {
    List<CellSpec> specs = cells();
    Cells cells = new Cells(new CellProcess(System.err, verbose), output.human());
    for (CellSpec cell : specs) {
      var _ = cells.measure(cell);
    }
    BenchReport report = cells.report(List.of());
    new BenchText(report).print(output.human());
    output.json(report.toJson());
    return report;
  }

  List<CellSpec> cells() {
    UsageException.requireAtLeast("--items", items, 0);
    UsageException.requireAtLeast("--passes", passes, 1);
    UsageException.requireAtLeast("--segments", segments, 0);
    UsageException.requireAtLeast("--busy-threads", busyThreads, 0);
    List<CellSpec> cells = new ArrayList<>();
    List<Transport> known = transports.stream().map(Transports::named).toList();
    for (CellSpec.Measure measure : measures) {
      for (Payload payload : payloads) {
        for (long size : allSizes(known)) {
          for (Transport transport : known) {
            if (!sizes.isEmpty() || transport.defaultSizes().contains(size)) {
              cells.add(cell(transport, payload, size, measure));
            }
          }
        }
      }
    }
    return cells;
  }

  private Iterable<Long> allSizes(List<Transport> known) {
    if (!sizes.isEmpty()) {
      return sizes;
    }
    SortedSet<Long> all = new TreeSet<>();
    known.forEach(transport -> all.addAll(transport.defaultSizes()));
    return all;
  }

  private CellSpec cell(Transport transport, Payload payload, long size, CellSpec.Measure measure) {
    if (size % payload.granularity() != 0 || size > Integer.MAX_VALUE - 8) {
      throw new UsageException(
          FailureDetail.of("the payload cannot have this size")
              .with("payload", payload.label())
              .with("sizeBytes", size)
              .with("multipleOf", payload.granularity()));
    }
    if (measure == CellSpec.Measure.WAIT && !transport.waits()) {
      throw new UsageException(
          FailureDetail.of("nobody waits in this transport").with("transport", transport.name()));
    }
    if (measure == CellSpec.Measure.WAIT && busyThreads > 0) {
      throw new UsageException(
          FailureDetail.of("what waiting takes is not measured beside busy threads")
              .with("busyThreads", busyThreads)
              .advise("leave out --busy-threads or --measure wait"));
    }
    if (sharedFill && !transport.fillsInPlace()) {
      throw new UsageException(
          FailureDetail.of("nothing is filled in place in this transport")
              .with("transport", transport.name())
              .with("option", "--shared-fill"));
    }
    if (transport.fillsInPlace() && !payload.aliases()) {
      throw new UsageException(
          FailureDetail.of("the payload cannot be filled in place")
              .with("payload", payload.label())
              .with("transport", transport.name()));
    }
    return new CellSpec(
        transport.name(),
        payload,
        scope,
        size,
        items > 0 ? items : itemsBesideBusyThreads(transport, size),
        items > 0 ? items : warmUpItems(transport, size),
        items > 0 ? items : MOST_REHEARSAL_ITEMS,
        passes,
        segments(size),
        busyThreads,
        measure,
        fill(transport),
        codec,
        null);
  }

  private Fill fill(Transport transport) {
    if (!transport.fillsInPlace()) {
      return Fill.OWN_MEMORY;
    }
    return sharedFill ? Fill.IN_PLACE_SHARED : Fill.IN_PLACE;
  }

  /**
   * Beside busy threads the length of a pass is fixed, since nothing that was seen without them
   * says how long one takes.
   *
   * @return items, or 0 when the cell's process decides
   */
  private int itemsBesideBusyThreads(Transport transport, long size) {
    if (busyThreads == 0) {
      return 0;
    }
    return transport.fillsInPlace()
        ? MOST_ITEMS_BESIDE_BUSY_THREADS
        : fitting(transport.bytesPerPass(), size, FEWEST_ITEMS, MOST_ITEMS_BESIDE_BUSY_THREADS);
  }

  /** Enough to have all memory touched, and few enough to be done soon, however slow items are. */
  private int warmUpItems(Transport transport, long size) {
    if (transport.fillsInPlace()) {
      return MOST_WARM_UP_ITEMS;
    }
    long bytes = Math.min(WARM_UP_BYTES, transport.bytesPerPass());
    return fitting(bytes, size, 4 * segments(size), MOST_WARM_UP_ITEMS);
  }

  private int segments(long size) {
    return segments > 0
        ? segments
        : fitting(SMALL_POOL_BYTES, size, FEWEST_SEGMENTS, MOST_SEGMENTS);
  }

  private static int fitting(long bytes, long size, int fewest, int most) {
    return size == 0 ? most : Math.clamp(bytes / size, fewest, Math.max(fewest, most));
  }
}
