package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.parent.PassState;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pass that a lane's worker is in, if any. Guarded by the lock of the lane's book, but for the
 * epoch, which any thread reads.
 */
final class LanePass {
  private @Nullable PassState open;
  private @Nullable PassState spare; // begun only to have the worker leave the one before
  private volatile long epoch;
  private boolean inputsEnded;
  private long inputsEndedNanos;

  @Nullable PassState open() {
    return open;
  }

  /** Returns the epoch of the pass that the worker was in last. */
  long epoch() {
    return epoch;
  }

  /** Returns the worker's pass, which begins for an epoch when the worker is in none. */
  PassState openFor(long newEpoch, Supplier<PassState> newPass) {
    PassState there = open;
    if (there == null) {
      there = spare == null ? newPass.get() : spare;
      open = there;
      spare = null;
      epoch = newEpoch;
      inputsEnded = false;
    }
    return there;
  }

  /** Has the worker leave its pass. */
  void leave(Supplier<PassState> newPass) {
    if (spare == null) {
      spare = newPass.get();
    }
  }

  /** Takes note that the worker knows that its pass has no more inputs. */
  void inputsEnded() {
    inputsEnded = true;
    inputsEndedNanos = System.nanoTime();
  }

  /** Returns how long the worker has known that, 0 when there may be more. */
  long endingNanos() {
    return inputsEnded ? System.nanoTime() - inputsEndedNanos : 0;
  }

  void ended() {
    open = null;
    inputsEnded = false;
  }

  void died() {
    ended();
    spare = null;
  }
}
