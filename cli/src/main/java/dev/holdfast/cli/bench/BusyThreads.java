package dev.holdfast.cli.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * Threads that do nothing but spin, as an application's own work would keep the processors busy.
 */
final class BusyThreads implements AutoCloseable {
  static final String NAME = "busy-";

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;

  BusyThreads(int count) {
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::spin, NAME + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  BusyThreads start() {
    threads.forEach(Thread::start);
    return this;
  }

  private void spin() {
    while (!ended) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    ended = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
