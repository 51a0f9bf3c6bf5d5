package dev.holdfast.loader.internal.parent;

import org.jspecify.annotations.Nullable;

/** How far one pass has come. All fields are guarded by the session's lock. */
public final class PassState {
  final long number;
  boolean requested;
  boolean ended;
  long index;
  @Nullable Arrival next;

  /** Returns the pass's number. */
  public long number() {
    return number;
  }

  /** Makes the state of a pass that has not begun. */
  public PassState(long number) {
    this.number = number;
  }
}
