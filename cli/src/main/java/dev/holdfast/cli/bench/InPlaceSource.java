package dev.holdfast.cli.bench;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;

/**
 * Produces a cell's items in memory of the arena, stamped at both ends. The first iteration is the
 * warm-up, each further one the next pass.
 *
 * @param cell the cell
 */
record InPlaceSource(CellSpec cell) implements WorkerSource<Object> {

  @Override
  public boolean sharedFill() {
    return cell.fill() == Fill.IN_PLACE_SHARED;
  }

  @Override
  public Iterable<Object> open(WorkerContext context) {
    return new BenchPasses(cell, () -> context.allocate(cell.sizeBytes()));
  }
}
