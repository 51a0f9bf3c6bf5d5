package dev.holdfast.loader.internal.pipeline;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One input of a region, inside the worker: how many of the cells on their way stem from it. It is
 * answered when the last one has left.
 */
public final class Origin {
  private final long number;
  private final AtomicInteger cells = new AtomicInteger(1);

  /** Makes an origin with one cell. */
  public Origin(long number) {
    this.number = number;
  }

  /** Returns the input's number. */
  public long number() {
    return number;
  }

  void more() {
    cells.incrementAndGet();
  }

  /** Takes note that a cell has left; returns whether it was the last one. */
  public boolean left() {
    return cells.decrementAndGet() == 0;
  }
}
