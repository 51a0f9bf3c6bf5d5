package dev.holdfast.cli.bench;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.lang.foreign.MemorySegment;

/**
 * Produces a cell's items: the same bytes, stamped anew for each. The first iteration is the
 * warm-up, each further one the next pass.
 *
 * @param cell the cell
 */
public record BenchSource(CellSpec cell) implements WorkerSource<Object> {

  /**
   * Makes the bytes.
   *
   * @param context not used
   * @return one pass at each iteration
   */
  @Override
  public Iterable<Object> open(WorkerContext context) {
    return passes();
  }

  /**
   * Makes the bytes, in whatever process.
   *
   * @return one pass at each iteration; belongs to one thread
   */
  public Iterable<Object> passes() {
    MemorySegment bytes = cell.payload().newBytes(cell.sizeBytes());
    return new BenchPasses(cell, () -> bytes);
  }
}
