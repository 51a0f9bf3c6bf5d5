package dev.holdfast.loader.internal.pipeline;

/** Which passes were left. Passes are numbered from 1. */
public final class Epochs {
  private volatile long cancelledUpTo;

  /** Returns whether nobody wants what comes of a pass. */
  public boolean isCancelled(long epoch) {
    return epoch <= cancelledUpTo;
  }

  synchronized void cancelUpTo(long epoch) {
    cancelledUpTo = Math.max(cancelledUpTo, epoch);
  }
}
