package dev.holdfast.arena.internal.wait;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.internal.memory.WaitWord;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for the other process in slices.
 *
 * <p>The handshake, on both sides with volatile order (with release and acquire both sides can miss
 * each other, as in Dekker's algorithm): the waiter reads the signal, announces itself, looks
 * whether it may go on, and waits only while the signal has not changed. The other side changes its
 * counter, bumps the signal, and then looks for an announcement. Whoever comes second sees the
 * other. {@link WaitWord} says why the announcement is a number.
 */
public final class Waiting {
  /** The longest time between two looks at shutdown, interrupt, deadline and the caller's check. */
  public static final long SLICE_NANOS = 100_000_000L;

  private static final long PAUSE_NANOS = 1_000_000;

  private Waiting() {}

  /**
   * Waits until a point is ready.
   *
   * @param point what to wait for
   * @param timeoutNanos the limit; {@link Long#MAX_VALUE} is none
   * @param check runs before each slice; what it throws ends the wait
   * @return true when the point is ready, false at the limit
   * @throws HoldfastInterruptedException when the thread is interrupted; its flag stays set
   */
  public static boolean await(WaitPoint point, long timeoutNanos, Runnable check) {
    long start = System.nanoTime();
    if (point.spins().pays(point, start)) {
      return true;
    }
    while (true) {
      check.run();
      if (Thread.currentThread().isInterrupted()) {
        throw new HoldfastInterruptedException(
            FailureDetail.of("interrupted while waiting for the other process")
                .with("waitedMillis", (System.nanoTime() - start) / 1_000_000));
      }
      if (point.ready()) {
        point.spins().slept(System.nanoTime() - start);
        return true;
      }
      long left =
          timeoutNanos == Long.MAX_VALUE ? SLICE_NANOS : timeoutNanos - (System.nanoTime() - start);
      if (left <= 0) {
        return false;
      }
      slice(point, Math.min(left, SLICE_NANOS));
    }
  }

  /**
   * Waits for a slice at most, also when interrupted: two threads at one point would mislead each
   * other.
   */
  private static void slice(WaitPoint point, long nanos) {
    if (Thread.currentThread().isVirtual()) {
      try {
        OffCarrier.run(() -> enter(point, nanos));
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_NANOS); // no thread can be had for it: then it looks more often
      }
    } else {
      enter(point, nanos);
    }
  }

  private static void enter(WaitPoint point, long nanos) {
    if (!point.retain()) {
      return;
    }
    try {
      int seen = point.words().getIntVolatile(point.signalOffset());
      point.announce(WaitWord.number(seen));
      try {
        if (!point.ready()) {
          point.words().awaitChange(point.signalOffset(), seen, nanos);
        }
      } finally {
        point.announce(WaitWord.NOBODY);
      }
    } finally {
      point.release();
    }
  }
}
