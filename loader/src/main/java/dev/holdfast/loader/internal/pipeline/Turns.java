package dev.holdfast.loader.internal.pipeline;

import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts the results of several threads in the order in which they took their inputs. Each input has
 * a ticket. A thread that is early leaves its results and works on, up to a bounded number of
 * tickets ahead; the thread whose turn it is sends them.
 */
final class Turns {
  private final int window;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();

  // guarded by the lock
  private final Map<Long, Deque<Cell>> early = new HashMap<>();
  private long tickets;
  private long turn;
  private boolean closed;

  Turns(int window) {
    this.window = window;
  }

  /** Gives the next ticket; called in the order of the inputs. */
  long ticket() {
    lock.lock();
    try {
      return tickets++;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until it is the turn of a ticket, whose holder then sends as it likes. */
  void awaitTurn(long ticket) {
    lock.lock();
    try {
      while (turn != ticket && !closed) {
        moved.awaitUninterruptibly();
      }
      requireOpen();
    } finally {
      lock.unlock();
    }
  }

  /** Sends the last results of a ticket in its turn, or leaves them for whose turn comes first. */
  void finish(long ticket, Deque<Cell> results, Consumer<Cell> out) {
    @Nullable Deque<Cell> next = results;
    try {
      next = isEarly(ticket, results) ? null : results;
      while (next != null) {
        while (!next.isEmpty()) {
          out.accept(next.remove());
        }
        next = following();
      }
    } catch (Stopped e) {
      if (next != null) {
        next.forEach(CellQueue::drop);
      }
      throw e;
    }
  }

  /** Leaves early results, or waits until it is their turn. */
  private boolean isEarly(long ticket, Deque<Cell> results) {
    lock.lock();
    try {
      while (turn != ticket && !closed) {
        if (ticket - turn < window) {
          early.put(ticket, results);
          return true;
        }
        moved.awaitUninterruptibly();
      }
      requireOpen();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Moves the turn on; returns the results that were left for it, if any. */
  private @Nullable Deque<Cell> following() {
    lock.lock();
    try {
      requireOpen();
      turn++;
      moved.signalAll();
      return early.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the results of all tickets are sent. */
  void awaitAll() {
    lock.lock();
    try {
      while (turn != tickets && !closed) {
        moved.awaitUninterruptibly();
      }
      requireOpen();
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new Stopped();
    }
  }

  /** Ends all waits and drops what is there. */
  void close() {
    lock.lock();
    try {
      closed = true;
      early.values().forEach(cells -> cells.forEach(CellQueue::drop));
      early.clear();
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
