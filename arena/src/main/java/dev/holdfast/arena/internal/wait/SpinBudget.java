package dev.holdfast.arena.internal.wait;

/**
 * How long a waiter looks again before it sleeps, learned from the waits before. To sleep and to be
 * woken costs both sides microseconds, and tens of them on a virtual machine whose idle processors
 * are given away; so where the other side answers sooner, looking is cheaper. Where it has no
 * processor to run on, looking only costs time.
 *
 * <p>A wait that was over while it looked says how long to look; one that looked in vain halves
 * that. Several that slept and were over soon all the same let it look longer again, many more
 * where some took long. Who loses the processor while he looks is on a crowded machine, and looks
 * no more for a good while. One waiter at a time.
 */
public final class SpinBudget {
  /** About what it costs to sleep and to be woken: to look for longer cannot pay. */
  private static final long MOST_NANOS =
      Runtime.getRuntime().availableProcessors() > 1 ? 100_000 : 0;

  private static final long LEAST_NANOS = Math.min(MOST_NANOS, 200);

  /** A wait that was over by then, with the time of a wake-up in it, was a short one. */
  private static final long SHORT_NANOS = 2 * MOST_NANOS;

  /** Nobody but another thread on the processor makes a look take so much longer than allowed. */
  private static final long LOST_NANOS = 200_000;

  /** Looks between two looks at the clock, which costs as much as some of them. */
  private static final int LOOKS = 8;

  private static final int SHORT_ONES_THAT_COUNT = 32;
  private static final int SHORT_ONES_AFTER_A_LONG_ONE = 250;

  private long nanos = MOST_NANOS;
  private int shortOnesToCome = SHORT_ONES_THAT_COUNT;

  /** Makes a budget that begins in good hope. */
  public SpinBudget() {}

  /** Looks for a while from a moment on; returns whether the point became ready. */
  boolean pays(WaitPoint point, long start) {
    boolean ready = looked(point, start);
    long took = System.nanoTime() - start;
    if (took > nanos + LOST_NANOS) {
      nanos = LEAST_NANOS;
      shortOnesToCome = SHORT_ONES_AFTER_A_LONG_ONE;
    } else if (ready) {
      nanos = Math.max(Math.min(MOST_NANOS, 4 * took), nanos - nanos / 16);
    } else {
      nanos = Math.max(LEAST_NANOS, nanos / 2);
    }
    return ready;
  }

  /** Takes note of how long a wait took that slept. */
  void slept(long waitedNanos) {
    if (waitedNanos > SHORT_NANOS) {
      shortOnesToCome = SHORT_ONES_AFTER_A_LONG_ONE;
    } else if (--shortOnesToCome <= 0) {
      shortOnesToCome = SHORT_ONES_THAT_COUNT;
      nanos = Math.max(nanos, Math.min(waitedNanos, MOST_NANOS));
    }
  }

  private boolean looked(WaitPoint point, long start) {
    do {
      for (int look = 0; look < LOOKS; look++) {
        if (point.ready()) {
          return true;
        }
        Thread.onSpinWait();
      }
    } while (System.nanoTime() - start < nanos);
    return false;
  }

  long nanos() {
    return nanos;
  }
}
