package dev.holdfast.arena.internal.output;

import java.util.function.BooleanSupplier;

/**
 * Says when outputs that may have been dropped are worth a collection. Thread-safe; the lock is
 * held for a few instructions and nothing is allocated under it.
 *
 * <p>A collection is due when the bytes of all outputs that have not ended exceed a floor and twice
 * what survived the last one. What survived is what was made before that request and is left when
 * the cleaner has worked off what the collector has found: when it has begun and nothing of it has
 * ended for 20 ms. So a consumer that really keeps its outputs causes a number of collections that
 * grows with the logarithm of what it keeps. When the bytes reach three times the point where a
 * collection is due, whoever needs fresh memory waits for it, at most 100 ms: outputs must not be
 * made much faster than they can be found.
 */
final class OutputPressure {
  private static final long SETTLE_NANOS = 20_000_000L;
  private static final long FORGET_NANOS = 10_000_000_000L;
  private static final long PATIENCE = 3;
  private static final long LONGEST_WAIT_NANOS = 100_000_000L;

  private final long floor;
  private final Runnable wakeGuard;

  private long outstanding; // this and the following guarded by this
  private int epoch;
  private boolean counting;
  private boolean settling;
  private BooleanSupplier cleanerBegan = () -> true;
  private long early;
  private long earlySeen;
  private long seenAt;
  private long survived;
  private long collectedAt = System.nanoTime();
  private boolean guardWoken;
  private boolean wanted;
  private int waiters;

  /**
   * Begins without outputs.
   *
   * @param floor bytes that are never worth a collection
   * @param wakeGuard has {@link #due} asked soon; must not wait
   */
  OutputPressure(long floor, Runnable wakeGuard) {
    this.floor = floor;
    this.wakeGuard = wakeGuard;
  }

  /** Counts an output and returns the epoch that it was made in. */
  synchronized int made(long bytes) {
    outstanding += bytes;
    if (!guardWoken && outstanding > limit()) {
      guardWoken = true;
      wakeGuard.run();
    }
    return epoch;
  }

  /** An output has ended. */
  synchronized void ended(long bytes, int madeIn) {
    outstanding -= bytes;
    if (counting && madeIn != epoch) {
      early -= bytes;
    }
    if (waiters > 0) {
      notifyAll();
    }
  }

  /** Waits while there are too many outputs for fresh memory. */
  synchronized void awaitRelief() {
    long start = System.nanoTime();
    while (outstanding > PATIENCE * limit()) {
      long left = LONGEST_WAIT_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        return;
      }
      waiters++;
      try {
        wait(left / 1_000_000 + 1);
      } catch (InterruptedException e) {
        // no reason to fail: whoever waits for the other process reports it
        Thread.currentThread().interrupt();
        return;
      } finally {
        waiters--;
      }
    }
  }

  /** Returns how many collections have begun. */
  synchronized int epoch() {
    return epoch;
  }

  /**
   * Asks for a collection, because a limit is reached, unless one has begun and settled already.
   *
   * @param since the epoch when the limit was met
   * @return whether a collection may still end outputs that were dropped
   */
  synchronized boolean collectionMayHelp(int since) {
    if (outstanding == 0 || (epoch != since && !counting)) {
      return false;
    }
    if (epoch == since && !wanted) {
      wanted = true;
      wakeGuard.run();
    }
    return true;
  }

  synchronized boolean due(long now) {
    if (settling && now - seenAt >= SETTLE_NANOS) {
      settle(now);
    }
    if (survived / 2 > outstanding && now - collectedAt > FORGET_NANOS) {
      survived = outstanding;
    }
    wanted &= outstanding > 0;
    return !settling && (wanted || outstanding > limit());
  }

  private void settle(long now) {
    boolean atWork = early != earlySeen || !cleanerBegan.getAsBoolean();
    if (atWork && now - collectedAt < FORGET_NANOS) {
      earlySeen = early;
      seenAt = now;
      return;
    }
    settling = false;
    counting = false;
    survived = early;
    guardWoken = false;
    notifyAll();
  }

  /** A collection is about to run. */
  synchronized void collectionBegins() {
    epoch++;
    wanted = false;
    counting = true;
    settling = false;
    early = outstanding;
  }

  /**
   * It has run, or was refused.
   *
   * @param began whether the cleaner has begun with what was found; must not wait
   */
  synchronized void collectionEnded(long now, BooleanSupplier began) {
    if (counting) {
      cleanerBegan = began;
      settling = true;
      earlySeen = early;
      seenAt = now;
      collectedAt = now;
    }
  }

  private long limit() {
    return Math.max(floor, 2 * survived);
  }
}
