package dev.holdfast.arena;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that writes units. Driven by one thread at a time; the holder of an arena's only
 * writer.
 *
 * <p>Each {@link #beginUnit} is followed by exactly one {@link #commitUnit} or {@link #abortUnit}.
 * Writing outside a unit is an {@link IllegalStateException}. After {@link #close}, and after the
 * arena was closed, every call throws {@link ArenaClosedException}.
 *
 * <p>A binary gets into a unit in one of two ways: {@link #writeBinary} copies it, or, where {@link
 * #fillsInPlace} says so, the producer fills memory of {@link #allocate} and nothing is copied.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
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
   * Copies one binary into the open unit. Nobody may close the source's arena meanwhile. Cutting
   * the file of an arena or of what a {@code FileChannel} has mapped is an error; it ends the
   * process where the source does not say that a file is behind it: mapped by other native code,
   * reinterpreted, or a typed view of a mapped buffer ({@code -Dholdfast.jvmCopies=true} makes that
   * an error too).
   *
   * @param source the bytes, heap or native, all of the segment; empty is legal
   * @return where they lie
   * @throws UnitTooLargeException at once, when the unit could never fit with this binary
   * @throws AcquireTimeoutException as {@link #beginUnit}
   */
  Placement writeBinary(MemorySegment source);

  /**
   * Returns whether this writer has {@link #allocate}.
   *
   * @return false unless overridden
   */
  default boolean fillsInPlace() {
    return false;
  }

  /**
   * Returns memory of the open unit, which the producer fills where it will be read.
   *
   * <p>The memory is not zeroed: it holds what an earlier unit left. It ends when the unit is
   * committed or aborted; whoever uses it afterwards gets an {@link IllegalStateException}. With
   * {@link ViewScope#SHARED} any thread may fill it, and those threads have to be done, and waited
   * for, before the unit is committed; ending it costs a handshake with every thread of the
   * process. With {@link ViewScope#CONFINED} it belongs to the calling thread, which then has to
   * commit or abort the unit too.
   *
   * @param byteSize how much; 0 is legal
   * @param alignment a power of two up to 4096; binaries start on 64 bytes at least
   * @param scope CONFINED or SHARED, the same for all memory of a unit
   * @return writable memory of that size
   * @throws UnitTooLargeException at once, when the unit could never fit with this memory
   * @throws IllegalStateException when no unit is open, or its memory is of the other scope
   * @throws WrongThreadException when the unit's memory is confined to another thread
   * @throws IllegalArgumentException when an argument is not as described
   * @throws UnsupportedOperationException when {@link #fillsInPlace} is false
   */
  default MemorySegment allocate(long byteSize, long alignment, ViewScope scope) {
    throw new UnsupportedOperationException("this arena copies what is written to it");
  }

  /**
   * Returns where bytes lie when they are memory that {@link #allocate} gave for the open unit: all
   * of it, a part, or a buffer on it. Such bytes need no {@link #writeBinary}.
   *
   * @param bytes any memory
   * @return the place, or null when they are something else
   */
  default @Nullable Placement placementOf(MemorySegment bytes) {
    return null;
  }

  /**
   * Publishes the open unit: its bytes are visible to the reader from here on. Memory from {@link
   * #allocate} has ended when this returns.
   *
   * @return the receipt that the reader needs
   * @throws IllegalStateException when no unit is open, or a native call or a channel operation is
   *     using memory from {@link #allocate}; nothing is published and the unit stays open
   * @throws WrongThreadException when the unit's memory is confined to another thread
   */
  UnitReceipt commitUnit();

  /**
   * Drops the open unit. Its number and its storage go to the next one, which waits while a native
   * call or a channel operation still uses memory from {@link #allocate}. Does nothing when none is
   * open.
   *
   * @throws WrongThreadException when the unit's memory is confined to another thread
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
