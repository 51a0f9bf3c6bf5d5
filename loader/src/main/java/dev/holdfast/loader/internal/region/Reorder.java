package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import dev.holdfast.loader.internal.pipeline.Stopped;
import java.util.ArrayDeque;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Results go on in the order of the inputs. What stems from the lowest input that is not done goes
 * on at once, the rest waits for it. How much may wait is bounded by who sends inputs: none beyond
 * a window from the head.
 *
 * <p>One thread at a time sends on, outside the lock; others only add. So a result that comes while
 * somebody sends is sent by that one.
 */
final class Reorder implements Outcomes {

  private static final class Entry {
    private final ArrayDeque<Cell> cells = new ArrayDeque<>(1);
    private boolean done;
  }

  private final CellQueue out;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();

  // guarded by the lock
  private final TreeMap<Long, Entry> entries = new TreeMap<>();
  private long next;
  private boolean sending;
  private boolean failed;
  private boolean closed;

  Reorder(CellQueue out) {
    this.out = out;
  }

  @Override
  public void opened(long number) {
    lock.lock();
    try {
      entries.put(number, new Entry());
      next = number + 1;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void deliver(long number, Cell cell) {
    add(number, cell, false);
  }

  @Override
  public void done(long number) {
    add(number, null, true);
  }

  private void add(long number, @Nullable Cell cell, boolean done) {
    lock.lock();
    try {
      Entry entry = entries.get(number);
      if (entry == null || failed || closed) {
        if (cell != null) {
          CellQueue.drop(cell);
        }
        return;
      }
      if (cell != null) {
        entry.cells.add(cell);
      }
      entry.done |= done;
      if (sending) {
        return;
      }
      sending = true;
    } finally {
      lock.unlock();
    }
    send();
  }

  private void send() {
    boolean over = false;
    try {
      Cell cell = following();
      while (cell != null) {
        out.put(cell);
        cell = following();
      }
      over = true;
    } finally {
      if (!over) {
        lock.lock();
        try {
          sending = false;
          moved.signalAll();
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /** Takes what goes on next, or ends the sending when that is not there yet. */
  private @Nullable Cell following() {
    lock.lock();
    try {
      while (!entries.isEmpty()) {
        Entry head = entries.firstEntry().getValue();
        Cell cell = head.cells.poll();
        if (cell != null) {
          return cell;
        }
        if (!head.done && !failed) {
          break;
        }
        entries.pollFirstEntry();
        moved.signalAll();
      }
      sending = false;
      moved.signalAll();
      return null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitAll() {
    lock.lock();
    try {
      while ((sending || !entries.isEmpty()) && !closed) {
        moved.awaitUninterruptibly();
      }
      if (closed) {
        throw new Stopped();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean within(long window, LongPredicate own) {
    lock.lock();
    try {
      if (closed || failed || entries.isEmpty()) {
        return true;
      }
      long head = entries.firstKey();
      return next - head < window || own.test(head);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitWithin(long window, LongPredicate own) {
    lock.lock();
    try {
      while (!within(window, own)) {
        moved.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void fail(Cell failure) {
    lock.lock();
    try {
      while (sending && !closed) {
        moved.awaitUninterruptibly();
      }
      failed = true;
      sending = true;
    } finally {
      lock.unlock();
    }
    send();
    out.put(failure);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      for (Entry entry : entries.values()) {
        entry.cells.forEach(CellQueue::drop);
        entry.cells.clear();
      }
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
