package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.internal.life.Logs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue between two stages. Items of passes that were left do not stay in it. Waits end
 * with the queue, not with interrupts, which are user code's.
 */
public final class CellQueue implements Inlet {
  private final int capacity;
  private final Epochs epochs;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final Condition emptied = lock.newCondition();

  // guarded by the lock
  private final ArrayDeque<Cell> cells = new ArrayDeque<>();
  private boolean closed;
  private int takersWaiting;

  CellQueue(int capacity, Epochs epochs) {
    this.capacity = capacity;
    this.epochs = epochs;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  /**
   * Waits for room and adds a cell. An item of a pass that was left is dropped instead.
   *
   * @throws Stopped when the queue was closed; the cell was dropped then
   */
  public void put(Cell cell) {
    boolean kept = false;
    lock.lock();
    try {
      while (!closed && !isUnwanted(cell) && cells.size() >= capacity) {
        emptied.awaitUninterruptibly();
      }
      kept = !closed && !isUnwanted(cell);
      if (kept) {
        cells.add(cell);
        filled.signal();
      }
      if (closed) {
        throw new Stopped();
      }
    } finally {
      lock.unlock();
      if (!kept) {
        drop(cell);
      }
    }
  }

  @Override
  public Cell take() {
    lock.lock();
    try {
      while (cells.isEmpty() && !closed) {
        takersWaiting++;
        try {
          filled.awaitUninterruptibly();
        } finally {
          takersWaiting--;
        }
      }
      return removed();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a cell within a time.
   *
   * @param nanos how long to wait
   * @return the cell, or null at the limit
   * @throws InterruptedException when the thread was interrupted
   */
  public @Nullable Cell take(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      takersWaiting++;
      try {
        while (cells.isEmpty() && !closed) {
          if (left <= 0) {
            return null;
          }
          left = filled.awaitNanos(left);
        }
      } finally {
        takersWaiting--;
      }
      return removed();
    } finally {
      lock.unlock();
    }
  }

  private Cell removed() {
    if (closed) {
      throw new Stopped();
    }
    Cell cell = cells.remove();
    emptied.signal();
    return cell;
  }

  @Override
  public void sample(StageFigures figures) {
    lock.lock();
    try {
      figures.sampled(cells.size() + 1, capacity); // called after a cell was taken
    } finally {
      lock.unlock();
    }
  }

  /** Drops what belongs to passes that were left and wakes who waited to add such. */
  void purge() {
    List<Cell> dropped = new ArrayList<>();
    lock.lock();
    try {
      cells.removeIf(
          cell -> {
            boolean unwanted = isUnwanted(cell);
            if (unwanted) {
              dropped.add(cell);
            }
            return unwanted;
          });
      emptied.signalAll();
    } finally {
      lock.unlock();
    }
    dropped.forEach(CellQueue::drop);
  }

  /** Ends all waits and drops what is there. */
  void close() {
    List<Cell> dropped;
    lock.lock();
    try {
      closed = true;
      dropped = new ArrayList<>(cells);
      cells.clear();
      filled.signalAll();
      emptied.signalAll();
    } finally {
      lock.unlock();
    }
    dropped.forEach(CellQueue::drop);
  }

  /** Returns whether somebody waits for a cell. */
  boolean isAwaited() {
    lock.lock();
    try {
      return takersWaiting > 0;
    } finally {
      lock.unlock();
    }
  }

  private boolean isUnwanted(Cell cell) {
    return !(cell instanceof Cell.End) && epochs.isCancelled(cell.epoch());
  }

  /** Gives back what a cell has. */
  public static void drop(Cell cell) {
    if (cell instanceof Cell.Item item) {
      try {
        item.content().discard();
      } catch (RuntimeException e) {
        Logs.of("dev.holdfast.loader")
            .log(System.Logger.Level.DEBUG, "an unopened item could not be given back", e);
      }
    }
  }
}
