package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import java.util.function.LongPredicate;

/** Results go on as they come. */
final class Unordered implements Outcomes {
  private final CellQueue out;

  Unordered(CellQueue out) {
    this.out = out;
  }

  @Override
  public void opened(long number) {}

  @Override
  public void deliver(long number, Cell cell) {
    out.put(cell);
  }

  @Override
  public void done(long number) {}

  @Override
  public void awaitAll() {}

  /** Nobody waits for anybody. */
  @Override
  public boolean within(long window, LongPredicate own) {
    return true;
  }

  @Override
  public void awaitWithin(long window, LongPredicate own) {}

  @Override
  public void fail(Cell failure) {
    out.put(failure);
  }

  @Override
  public void close() {}
}
