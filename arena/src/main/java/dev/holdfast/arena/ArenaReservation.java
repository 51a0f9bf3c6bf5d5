package dev.holdfast.arena;

import dev.holdfast.arena.internal.pool.Reservation;
import java.lang.foreign.MemorySegment;

/**
 * A segment of a pool while its producer fills it in place. It ends by {@link #seal}, which hands
 * the bytes over and returns a ticket, or by {@link #close}, which gives the segment to the next
 * reservation:
 *
 * {@snippet :
 * try (ArenaReservation reservation = pool.reserve()) {
 *   MemorySegment pixels = reservation.allocate(1 << 20);
 *   decode(file, pixels);
 *   return reservation.seal();
 * }
 * }
 *
 * <p>CONFINED, the default: all calls, and all use of the memory, belong to the thread that
 * reserved. SHARED: any thread may call and fill; ending costs a handshake with every thread of the
 * process. A reservation that is open stops the pool behind it as soon as all other segments are
 * used. One that is dropped without an end is reported in the log, and its segment is given on when
 * the garbage collector has found that no view of it is left.
 */
public final class ArenaReservation implements AutoCloseable {
  private final Reservation reservation;

  ArenaReservation(Reservation reservation) {
    this.reservation = reservation;
  }

  /**
   * Allocates memory on a 64-byte boundary; see {@link #allocate(long, long)}.
   *
   * @param byteSize its size in bytes, above zero
   * @return a writable view
   * @throws IllegalArgumentException when the size is not positive
   * @throws UnitTooLargeException when it does not fit what is left of the segment; nothing has
   *     changed then
   * @throws IllegalStateException when the reservation was sealed or closed, or the pool is closed
   * @throws WrongThreadException when it is CONFINED and belongs to another thread
   */
  public MemorySegment allocate(long byteSize) {
    return reservation.allocate(byteSize, Reservation.ALIGNMENT);
  }

  /**
   * Allocates memory behind what was allocated before. It is not zeroed: it holds whatever an
   * earlier unit left there.
   *
   * @param byteSize its size in bytes, above zero
   * @param alignment a power of two up to 4096; the memory begins at a multiple of it in every
   *     process
   * @return a writable view, which lives until the reservation is sealed or closed
   * @throws IllegalArgumentException when the size is not positive or the alignment is none of
   *     these
   * @throws UnitTooLargeException when it does not fit what is left of the segment; nothing has
   *     changed then
   * @throws IllegalStateException when the reservation was sealed or closed, or the pool is closed
   * @throws WrongThreadException when it is CONFINED and belongs to another thread
   */
  public MemorySegment allocate(long byteSize, long alignment) {
    return reservation.allocate(byteSize, alignment);
  }

  /**
   * Allocates zeroed memory on a 64-byte boundary; see {@link #allocate(long, long)}. Gaps between
   * allocations are not zeroed.
   *
   * @param byteSize its size in bytes, above zero
   * @return a writable view of zeros
   * @throws IllegalArgumentException when the size is not positive
   * @throws UnitTooLargeException when it does not fit what is left of the segment; nothing has
   *     changed then
   * @throws IllegalStateException when the reservation was sealed or closed, or the pool is closed
   * @throws WrongThreadException when it is CONFINED and belongs to another thread
   */
  public MemorySegment allocateZeroed(long byteSize) {
    return reservation.allocateZeroed(byteSize, Reservation.ALIGNMENT);
  }

  /**
   * Allocates zeroed memory; see {@link #allocate(long, long)}. Gaps between allocations are not
   * zeroed.
   *
   * @param byteSize its size in bytes, above zero
   * @param alignment a power of two up to 4096
   * @return a writable view of zeros
   * @throws IllegalArgumentException when the size is not positive or the alignment is none of
   *     these
   * @throws UnitTooLargeException when it does not fit what is left of the segment; nothing has
   *     changed then
   * @throws IllegalStateException when the reservation was sealed or closed, or the pool is closed
   * @throws WrongThreadException when it is CONFINED and belongs to another thread
   */
  public MemorySegment allocateZeroed(long byteSize, long alignment) {
    return reservation.allocateZeroed(byteSize, alignment);
  }

  /**
   * Ends the producer's views, and then publishes the bytes from the segment's start to the end of
   * the last allocation. Every alias of a view throws {@link IllegalStateException} from then on.
   * Works after {@link SharedMemoryArena#shutdown}, since it waits for nothing.
   *
   * @return the ticket; the segment is kept until it is recovered or discarded, also when it is
   *     lost
   * @throws IllegalStateException when the reservation was sealed or closed before; or when a
   *     native call or a channel operation uses its memory: then nothing has changed or was
   *     published, and sealing works when that has ended
   * @throws ArenaClosedException when the pool is closed in this process
   * @throws WrongThreadException when it is CONFINED and belongs to another thread
   */
  public ArenaTicket seal() {
    return new ArenaTicket(reservation.seal());
  }

  /**
   * Gives up what was not sealed: ends the producer's views and gives the segment to the next
   * reservation. Does nothing after {@link #seal}, or when it was closed before. When a native call
   * or a channel operation still uses SHARED memory, the segment stays taken until that has ended.
   *
   * @throws IllegalStateException when a native call or a channel operation uses CONFINED memory;
   *     nothing has changed then
   * @throws WrongThreadException when it is open and CONFINED and belongs to another thread
   */
  @Override
  public void close() {
    reservation.close();
  }
}
