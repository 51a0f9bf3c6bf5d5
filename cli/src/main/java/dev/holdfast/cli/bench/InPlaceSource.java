package dev.holdfast.cli.bench;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;

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
    return new Iterable<>() {
      private int next;

      @Override
      public Iterator<Object> iterator() {
        return new Pass(context, cell, cell.plan(next++));
      }
    };
  }

  private static final class Pass implements Iterator<Object> {
    private final WorkerContext context;
    private final CellSpec cell;
    private final PassPlan plan;
    private int unit;

    Pass(WorkerContext context, CellSpec cell, PassPlan plan) {
      this.context = context;
      this.cell = cell;
      this.plan = plan;
    }

    @Override
    public boolean hasNext() {
      return unit < plan.items();
    }

    @Override
    public Object next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (unit == 0) {
        Pause.millis(plan.delayMillis());
      }
      MemorySegment bytes = context.allocate(cell.sizeBytes());
      Stamps.write(bytes, plan, unit);
      return cell.payload().item(bytes, plan, unit++);
    }
  }
}
