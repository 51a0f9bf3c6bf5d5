package dev.holdfast.arena.internal.core;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.OpenUnit;

/** An open unit whose bytes lie in a file that somebody may cut short while they are copied. */
public interface CuttableUnit extends OpenUnit {
  /** Returns whose memory it is. */
  ArenaCore core();

  /**
   * Ends a run of accesses to bytes that were looked at: one that failed is thrown here at the
   * latest.
   *
   * @throws ArenaCorruptedException when the bytes are gone
   */
  default void settle() {
    try {
      core().words().settle();
    } catch (InternalError e) {
      throw fault(e);
    }
  }

  /** Turns a fault in an access to the bytes into a typed error. */
  default ArenaCorruptedException fault(InternalError e) {
    return core().fault(e);
  }
}
