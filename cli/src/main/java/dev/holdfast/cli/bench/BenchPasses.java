package dev.holdfast.cli.bench;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/**
 * A cell's items, stamped anew each. The first iteration is the warm-up, each further one the next
 * pass. Belongs to one thread.
 */
final class BenchPasses implements Iterable<Object> {
  private final CellSpec cell;
  private final Supplier<MemorySegment> memory;
  private int next;

  /**
   * Makes the passes of a cell.
   *
   * @param cell the cell
   * @param memory gives the bytes of the next item
   */
  BenchPasses(CellSpec cell, Supplier<MemorySegment> memory) {
    this.cell = cell;
    this.memory = memory;
  }

  @Override
  public Iterator<Object> iterator() {
    return new Pass(cell.plan(next++));
  }

  private final class Pass implements Iterator<Object> {
    private final PassPlan plan;
    private int unit;

    Pass(PassPlan plan) {
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
      MemorySegment bytes = memory.get();
      Stamps.write(bytes, plan, unit);
      return cell.payload().item(bytes, plan, unit++);
    }
  }
}
