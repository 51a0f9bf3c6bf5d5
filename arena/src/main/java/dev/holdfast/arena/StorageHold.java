package dev.holdfast.arena;

import dev.holdfast.arena.internal.life.Holds;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * An extra right that keeps a unit's bytes in place for a reader that Java cannot see: DMA, JNI,
 * asynchronous I/O. Any thread may close it, once; it outlives the lease. A hold that is dropped
 * without a close is reported and keeps its bytes for ever, since nobody can know whether its
 * reader is still at work.
 *
 * <p>A raw address is never an owner: keep the hold open until whoever was given the address has
 * finished.
 */
public interface StorageHold extends AutoCloseable {

  /**
   * Takes a hold on the unit that a view belongs to.
   *
   * @param view a view or a slice of one
   * @return the hold; on heap memory one that only keeps the array reachable
   * @throws IllegalStateException when the view's scope has ended
   * @throws IllegalArgumentException when the memory belongs to no unit of this process
   */
  static StorageHold of(MemorySegment view) {
    return Holds.of(view);
  }

  /**
   * Takes a hold on the unit that a buffer belongs to.
   *
   * @param view a buffer made from a view
   * @return the hold; its bytes run from the buffer's position to its limit
   * @throws IllegalStateException when the view's scope has ended
   * @throws IllegalArgumentException when the memory belongs to no unit of this process
   */
  static StorageHold of(Buffer view) {
    return Holds.of(MemorySegment.ofBuffer(view));
  }

  /**
   * Returns the held bytes in a scope of the hold's own, which any thread and any channel may use.
   * It ends when the hold is closed and no operation uses it any more.
   *
   * @return read-only bytes: the view's for {@link #of}, the whole unit's for {@link
   *     UnitLease#hold}
   * @throws IllegalStateException when the hold is closed
   */
  MemorySegment segment();

  /**
   * Returns {@link #segment} as a buffer in little-endian order.
   *
   * @return a new read-only buffer with position 0
   * @throws IllegalStateException when the hold is closed
   * @throws UnsupportedOperationException when the bytes are more than a buffer can hold
   */
  ByteBuffer buffer();

  /**
   * Gives the hold back and returns at once. When {@link #segment} was used, the storage is free as
   * soon as a closer thread has ended that scope, which an operation in flight delays. Repeating it
   * does nothing.
   */
  @Override
  void close();
}
