package dev.holdfast.loader;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.util.Arrays;
import java.util.Objects;

/**
 * Stacks samples of one shape into a batch that lies where the consumer will read it. Made for one
 * item in a worker's iterator, and ends with it; the iterating thread's.
 *
 * <p>Fill {@link #slot}, then {@link #keep} it: nothing is copied. A sample that fails half-way is
 * not kept, and the next one takes its slot. {@link #batch} has the kept samples alone.
 */
public final class Collator {
  private final Tensor all;
  private final long[] sampleShape;
  private final int capacity;
  private int size;

  private Collator(Tensor all, int capacity, long[] sampleShape) {
    this.all = all;
    this.capacity = capacity;
    this.sampleShape = sampleShape;
  }

  /**
   * Allocates room for a batch in the item that is yielded next.
   *
   * @param context the worker
   * @param n most samples of the batch
   * @param elementType what one element is
   * @param shape the dimensions of one sample; none makes scalars
   * @return an empty batch
   * @throws IllegalArgumentException when {@code n} is not positive or the shape is negative or too
   *     large
   * @throws IllegalStateException as {@link WorkerContext#allocate(long)}
   * @throws dev.holdfast.arena.UnitTooLargeException when a full batch could never fit the pool
   */
  public static Collator stack(
      WorkerContext context, int n, ElementType elementType, long... shape) {
    if (n < 1) {
      throw new IllegalArgumentException("a batch has at least one sample: n=" + n);
    }
    long[] batchShape = new long[shape.length + 1];
    batchShape[0] = n;
    System.arraycopy(shape, 0, batchShape, 1, shape.length);
    return new Collator(context.allocate(elementType, batchShape), n, shape.clone());
  }

  /**
   * Returns where the next sample goes. Its elements are what an earlier item or sample left.
   *
   * @return a tensor of one sample's shape that may be written, the same until {@link #keep}
   * @throws IllegalStateException when the batch is full
   */
  public Tensor slot() {
    requireRoom();
    return all.at(size);
  }

  /**
   * Counts the sample that was written to {@link #slot}.
   *
   * @throws IllegalStateException when the batch is full
   */
  public void keep() {
    requireRoom();
    size++;
  }

  /**
   * Copies a sample that exists already, and keeps it.
   *
   * @param sample a tensor of the element type and shape of the batch
   * @throws IllegalArgumentException when it is of another type or shape
   * @throws IllegalStateException when the batch is full
   */
  public void add(Tensor sample) {
    Objects.requireNonNull(sample, "sample");
    if (sample.elementType() != all.elementType() || !Arrays.equals(sample.shape(), sampleShape)) {
      throw new IllegalArgumentException(
          "the sample does not fit the batch: elementType=%s shape=%s expected=%s %s"
              .formatted(
                  sample.elementType(),
                  Arrays.toString(sample.shape()),
                  all.elementType(),
                  Arrays.toString(sampleShape)));
    }
    slot().segment().copyFrom(sample.segment());
    keep();
  }

  /**
   * Returns how many samples are kept.
   *
   * @return from 0 to {@link #capacity}
   */
  public int size() {
    return size;
  }

  /**
   * Returns how many samples there is room for.
   *
   * @return what the batch was made with
   */
  public int capacity() {
    return capacity;
  }

  /**
   * Returns whether there is no room for another sample.
   *
   * @return true when the batch is full
   */
  public boolean isFull() {
    return size == capacity;
  }

  /**
   * Returns the kept samples, for the item that is yielded next.
   *
   * @return a tensor of {@link #size} rows of one sample each, on the same memory
   */
  public Tensor batch() {
    return all.slice(0, size);
  }

  private void requireRoom() {
    if (isFull()) {
      throw new IllegalStateException("the batch is full: samples=" + size);
    }
  }
}
