package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.UsageException;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * @param segments segments of a pool
 * @param busyThreads threads that spin in the consumer's process
 * @param sharedFill whether memory that is filled in place may be filled by several threads
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
    boolean sharedFill) {
  private static final int FEWEST_ITEMS = 16;
  private static final int MOST_ITEMS = 30_000;
  private static final int MOST_ITEMS_BESIDE_BUSY_THREADS = 1_000;
  private static final long WARM_UP_BYTES = 1L << 30;

  /**
   * Measures all cells and reports them. What was measured is reported also when a cell failed.
   *
   * @param output where the report goes
   * @param verbose whether stacks of failures in other processes are shown
   * @throws UsageException when the matrix makes no sense; nothing was measured
   * @throws CellFailedException when a cell could not be measured or its answer was wrong
   * @throws IOException when a process cannot be started or the report cannot be written
   */
  public void run(Output output, boolean verbose) throws IOException {
    List<CellSpec> cells = cells();
    CellProcess process = new CellProcess(System.err, verbose);
    List<CellResult> results = new ArrayList<>();
    CellFailedException failure = null;
    for (CellSpec cell : cells) {
      try {
        CellResult result = process.run(cell);
        results.add(result);
        if (!result.verified()) {
          throw new CellFailedException(
              CellProcess.describe(cell, "items were missing, out of their turn or damaged"));
        }
        output.human().println(BenchReport.line(result));
      } catch (CellFailedException e) {
        output.human().println(e.getMessage());
        failure = failure == null ? e : failure;
      }
      output.human().flush();
    }
    new BenchReport(results).print(output.human());
    output.json(document(results));
    if (failure != null) {
      throw failure;
    }
  }

  private List<CellSpec> cells() {
    UsageException.requireAtLeast("--items", items, 0);
    UsageException.requireAtLeast("--passes", passes, 1);
    UsageException.requireAtLeast("--segments", segments, 1);
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
        items > 0 ? items : fittingItems(transport, size),
        warmUpItems(transport, size),
        passes,
        segments,
        busyThreads,
        measure,
        fill(transport));
  }

  private Fill fill(Transport transport) {
    if (!transport.fillsInPlace()) {
      return Fill.OWN_MEMORY;
    }
    return sharedFill ? Fill.IN_PLACE_SHARED : Fill.IN_PLACE;
  }

  private int fittingItems(Transport transport, long size) {
    int most = busyThreads > 0 ? MOST_ITEMS_BESIDE_BUSY_THREADS : MOST_ITEMS;
    if (transport.fillsInPlace()) {
      return most;
    }
    return Math.clamp(transport.bytesPerPass() / size, FEWEST_ITEMS, most);
  }

  /**
   * Enough to have all code compiled and all memory touched, also where the timed passes are short.
   */
  private int warmUpItems(Transport transport, long size) {
    if (items > 0) {
      return items;
    }
    if (transport.fillsInPlace()) {
      return MOST_ITEMS;
    }
    long bytes = Math.min(WARM_UP_BYTES, transport.bytesPerPass());
    return (int) Math.max(4L * segments, Math.min(bytes / size, MOST_ITEMS));
  }

  private static Map<String, Object> document(List<CellResult> results) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("cells", select(results, CellSpec.Measure.THROUGHPUT));
    document.put("waits", select(results, CellSpec.Measure.WAIT));
    return document;
  }

  private static List<Map<String, Object>> select(
      List<CellResult> results, CellSpec.Measure measure) {
    return results.stream()
        .filter(result -> result.cell().measure() == measure)
        .map(CellResult::toJson)
        .toList();
  }

  /**
   * Returns the name of a cell in one line.
   *
   * @param cell the cell
   * @return transport, payload, size, and whether the memory is of several threads
   */
  static String title(CellSpec cell) {
    return Words.format(
        "%s %s %s%s",
        cell.transport(),
        cell.payload().label(),
        Sizes.format(cell.sizeBytes()),
        cell.fill() == Fill.IN_PLACE_SHARED ? " shared fill" : "");
  }
}
