package dev.holdfast.loader.internal.pipeline;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** The results of one item, with the time that they take. Ends early when the pass was left. */
final class TimedResults implements Iterator<Cell> {
  private final Operator operator;
  private final Cell.Item item;
  private final StageFigures figures;
  private final Epochs epochs;
  private @Nullable Iterator<? extends Cell> results;
  private long nanos; // of the thread that asks
  private boolean ready; // was promised, and stays so when the pass is left meanwhile
  private boolean over;

  TimedResults(Operator operator, Cell.Item item, StageFigures figures, Epochs epochs) {
    this.operator = operator;
    this.item = item;
    this.figures = figures;
    this.epochs = epochs;
  }

  @Override
  public boolean hasNext() {
    if (ready || over) {
      return ready;
    }
    long start = System.nanoTime();
    Iterator<? extends Cell> open = results;
    if (!epochs.isCancelled(item.epoch())) {
      if (open == null) {
        open = operator.apply(item);
        results = open;
      }
      ready = open.hasNext();
      dropWhatNobodyWants(open);
    } else if (open == null) {
      CellQueue.drop(item);
    }
    nanos += System.nanoTime() - start;
    if (!ready) {
      over = true;
      figures.worked(nanos);
    }
    return ready;
  }

  /** A whole batch may have become ready while its pass was left. */
  private void dropWhatNobodyWants(Iterator<? extends Cell> open) {
    if (ready && epochs.isCancelled(item.epoch())) {
      ready = false;
      CellQueue.drop(open.next());
    }
  }

  @Override
  public Cell next() {
    if (!hasNext() || results == null) {
      throw new NoSuchElementException();
    }
    long start = System.nanoTime();
    Cell cell = results.next();
    ready = false;
    nanos += System.nanoTime() - start;
    return cell;
  }
}
