package dev.holdfast.arena;

import java.lang.foreign.MemorySegment;

/**
 * The consumer's right to a recovered unit, with its memory. Threads, holds and the end of the
 * views are those of {@link UnitLease}.
 */
public interface TicketLease extends UnitLease {

  /**
   * Returns the unit's bytes, from the segment's start to the end of the last allocation, gaps
   * included: nothing is copied. Read-only unless the pool was made with writable views. Where the
   * producer's allocations lie is for the messages beside the ticket to say.
   *
   * @return a view that the lease ends; empty when nothing was allocated
   * @throws IllegalStateException when the lease is closed
   */
  MemorySegment segment();
}
