package dev.holdfast.arena.internal.wait;

/**
 * How often a waiter looks again before it sleeps, learned from the waits before. Where the other
 * side answers within a microsecond, looking saves the way through the kernel; where it has no
 * processor to run on, looking only costs time.
 *
 * <p>Doubled by a wait that ended while it looked, halved by one that did not; each {@value
 * #PROBE}th wait looks as often as allowed, to find out again. One waiter at a time.
 */
public final class SpinBudget {
  private static final int MOST = Runtime.getRuntime().availableProcessors() > 1 ? 200 : 0;
  private static final int LEAST = Math.min(MOST, 4);
  private static final int PROBE = 64;

  private int spins = MOST;
  private int waits;

  /** Makes a budget that begins in good hope. */
  public SpinBudget() {}

  /** Looks for a while; returns whether the point became ready. */
  boolean pays(WaitPoint point) {
    waits++;
    int limit = waits % PROBE == 0 ? MOST : spins;
    for (int spin = 0; spin < limit; spin++) {
      if (point.ready()) {
        spins = Math.min(MOST, Math.max(LEAST, spins) * 2);
        return true;
      }
      Thread.onSpinWait();
    }
    spins = Math.max(LEAST, spins / 2);
    return false;
  }

  int spins() {
    return spins;
  }
}
