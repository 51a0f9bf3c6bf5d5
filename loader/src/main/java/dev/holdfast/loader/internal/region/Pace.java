package dev.holdfast.loader.internal.region;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a try that fails at once from being repeated without pause, as with a limit of no time at
 * all. One thread's.
 */
final class Pace {
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private long last = System.nanoTime() - LEAST_NANOS;

  /** Waits until the last call is long enough ago. */
  void keep() {
    long left = LEAST_NANOS - (System.nanoTime() - last);
    if (left > 0) {
      LockSupport.parkNanos(left);
    }
    last = System.nanoTime();
  }
}
