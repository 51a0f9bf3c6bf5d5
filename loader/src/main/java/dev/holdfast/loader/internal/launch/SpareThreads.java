package dev.holdfast.loader.internal.launch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Finds out whether the threads can be had that a process needs here: one of the JDK that reaps it,
 * two that empty its outputs, and one that tells of its end. When the first is refused, JDK 25 has
 * started the process already and nobody knows of it. So it must not come to that.
 */
final class SpareThreads {
  private static final int NEEDED = 5;

  private SpareThreads() {}

  /**
   * Fails when there are too few.
   *
   * @throws IOException with the words of the JVM
   */
  static void require() throws IOException {
    CountDownLatch enough = new CountDownLatch(1);
    List<Thread> started = new ArrayList<>(NEEDED);
    try {
      while (started.size() < NEEDED) {
        started.add(Thread.ofPlatform().daemon().name("holdfast-spare").start(() -> await(enough)));
      }
    } catch (OutOfMemoryError e) {
      throw new IOException(e.getMessage(), e);
    } finally {
      enough.countDown();
      started.forEach(SpareThreads::join);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** They have nothing to do but to end. */
  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
