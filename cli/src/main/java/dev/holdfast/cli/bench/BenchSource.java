package dev.holdfast.cli.bench;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;

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
    return new Iterable<>() {
      private int next;

      @Override
      public Iterator<Object> iterator() {
        return new Pass(cell.payload(), bytes, cell.plan(next++));
      }
    };
  }

  private static final class Pass implements Iterator<Object> {
    private final Payload payload;
    private final MemorySegment bytes;
    private final PassPlan plan;
    private int unit;

    Pass(Payload payload, MemorySegment bytes, PassPlan plan) {
      this.payload = payload;
      this.bytes = bytes;
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
      Stamps.write(bytes, plan, unit);
      return payload.item(bytes, plan, unit++);
    }
  }
}
