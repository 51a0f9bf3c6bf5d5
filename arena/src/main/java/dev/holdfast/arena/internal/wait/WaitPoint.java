package dev.holdfast.arena.internal.wait;

import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.memory.WaitWord;

/** Something in shared memory that a thread can wait for. */
public interface WaitPoint {

  /** Returns whether the wait is over; looks at the other side's word with volatile order. */
  boolean ready();

  /** Returns what waits at this point have learned about looking before they sleep. */
  SpinBudget spins();

  /** Says to the other side, with volatile order, which wait begins; see {@link WaitWord}. */
  void announce(int wait);

  /** Returns the words that hold the signal. */
  SharedWords words();

  /** Returns the offset of the signal that the other side bumps and wakes. */
  long signalOffset();

  /**
   * Keeps the memory mapped for one more slice of a wait.
   *
   * @return false when it is on its way out, and the wait is over
   */
  boolean retain();

  /** Ends what {@link #retain} began. */
  void release();
}
