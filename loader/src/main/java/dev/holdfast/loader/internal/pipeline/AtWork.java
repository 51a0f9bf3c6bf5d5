package dev.holdfast.loader.internal.pipeline;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many threads of a stage are working on an item, and a wait until none is. */
final class AtWork {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();

  // guarded by the lock
  private int threads;
  private boolean closed;

  void begin() {
    lock.lock();
    try {
      threads++;
    } finally {
      lock.unlock();
    }
  }

  void end() {
    lock.lock();
    try {
      threads--;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no thread works; none begins meanwhile.
   *
   * @throws Stopped when the pipeline was closed
   */
  void awaitNone() {
    lock.lock();
    try {
      while (threads > 0 && !closed) {
        idle.awaitUninterruptibly();
      }
      if (closed) {
        throw new Stopped();
      }
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
