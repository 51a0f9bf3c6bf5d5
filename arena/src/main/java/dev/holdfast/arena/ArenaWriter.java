package dev.holdfast.arena;

import java.lang.foreign.MemorySegment;

/**
 * The endpoint that writes units. Driven by one thread at a time; the holder of an arena's only
 * writer.
 *
 * <p>Each {@link #beginUnit} is followed by exactly one {@link #commitUnit} or {@link #abortUnit}.
 * Writing outside a unit is an {@link IllegalStateException}. After {@link #close}, and after the
 * arena was closed, every call throws {@link ArenaClosedException}.
 */
public interface ArenaWriter extends AutoCloseable {

  /** Prepares for a new iteration. Changes no counter and no lease; an open unit is aborted. */
  void reset();

  /**
   * Opens the next unit. A pool waits here for a free segment; a ring waits in {@link
   * #writeBinary}.
   *
   * @throws AcquireTimeoutException when nothing became free within the arena's wait limit; at once
   *     when the limit is zero
   * @throws ArenaClosedException when the arena was shut down and no space is free without waiting
   * @throws HoldfastInterruptedException when the thread was interrupted while it waited
   */
  void beginUnit();

  /**
   * Copies one binary into the open unit.
   *
   * @param source the bytes, heap or native, all of the segment; empty is legal
   * @return where they lie
   * @throws UnitTooLargeException at once, when the unit could never fit with this binary
   * @throws AcquireTimeoutException as {@link #beginUnit}
   */
  Placement writeBinary(MemorySegment source);

  /**
   * Publishes the open unit: its bytes are visible to the reader from here on.
   *
   * @return the receipt that the reader needs
   */
  UnitReceipt commitUnit();

  /**
   * Drops the open unit. Its number and its storage go to the next one. Does nothing when none is
   * open.
   */
  void abortUnit();

  /**
   * Returns how many units were committed over the arena's whole life.
   *
   * @return the absolute count, which is also the number of the next unit
   */
  long published();

  /**
   * Sets what to look at while this writer waits: the check runs before a wait, after each wake and
   * at least every 100 ms, on the waiting thread, and what it throws ends the wait. {@link
   * SharedMemoryArena#wake} makes it run at once. An arena that never waits ignores it.
   *
   * @param check the check, or an empty action
   */
  default void whileWaiting(Runnable check) {}

  /**
   * Ends this endpoint. With no unit open the right to write goes back to the arena, and any
   * process may open the writer again; an open unit is aborted first. Repeating it does nothing.
   */
  @Override
  void close();
}
