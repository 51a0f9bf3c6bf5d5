package dev.holdfast.loader;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * What user code can learn about the worker it runs in, and memory for its items. Valid as long as
 * the worker lives. Any thread may ask; only the iterating thread allocates.
 */
public interface WorkerContext {

  /**
   * Returns which of the workers this is.
   *
   * @return from 0 to {@link #count} - 1; 0 when there is one worker
   */
  int index();

  /**
   * Returns how many workers share the work.
   *
   * @return at least 1
   */
  int count();

  /**
   * Returns this worker's own seed for random numbers, derived from the seed in the options and the
   * index.
   *
   * @return the same number in each run with the same options
   */
  long seed();

  /**
   * Returns whether the consumer has left this iteration or closes the worker. Code that works long
   * on one item can look here and give up.
   *
   * @return true when what comes next will be thrown away
   */
  boolean stopRequested();

  /**
   * Returns memory for the item that is yielded next, which may contain all of it, contiguous parts
   * of it and buffers on it, beside ordinary binaries. With a pool it lies in shared memory and is
   * not copied, whatever its size; with any other transport it is ordinary memory and is copied, so
   * that a source need not know which one it has.
   *
   * <p>The first call opens the next unit, and so waits as long as the pool is full. The memory is
   * not zeroed and starts on 64 bytes. It belongs to the iterating thread, or to any thread when
   * {@link WorkerSource#sharedFill} says so. It ends when the item was sent or dropped, or the
   * iteration was left: whoever uses it then gets an {@link IllegalStateException}. While a native
   * call or a channel operation uses it the item cannot be sent, and becomes an error in its place.
   * What is allocated and not yielded takes its space until then and is lost.
   *
   * @param byteSize how much; 0 is legal
   * @return writable memory of that size
   * @throws IllegalStateException on another thread than the iterating one, or while no iterator is
   *     asked for an item
   * @throws IllegalArgumentException when the size is negative
   * @throws dev.holdfast.arena.UnitTooLargeException when the item could never fit the pool
   * @throws IterationStoppedException when the consumer has left the iteration
   * @throws dev.holdfast.arena.HoldfastInterruptedException when the thread was interrupted while
   *     it waited
   */
  MemorySegment allocate(long byteSize);

  /**
   * Returns a tensor on memory for the item that is yielded next, as {@link #allocate(long)} does.
   *
   * @param type what one element is
   * @param shape the dimensions; none makes a scalar
   * @return a tensor that may be written, with any elements
   * @throws IllegalArgumentException when the shape is negative or too large
   */
  default Tensor allocate(ElementType type, long... shape) {
    return Tensor.of(type, allocate(type.bytesOf(shape)), shape);
  }
}
