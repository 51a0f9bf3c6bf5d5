package dev.holdfast.arena.payload;

import dev.holdfast.arena.internal.memory.BulkCopy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A rectangular block of elements of one type, in C order: the last dimension runs fastest.
 *
 * <p>A tensor owns nothing: it lives as long as the memory it lies on, and may be used by the
 * threads that may use that memory. One that came out of an arena ends with its lease. Two tensors
 * are {@code equals} only when they are the same object; {@link #contentEquals} compares what is in
 * them. No dimension at all is a scalar with one element; a dimension of 0 is legal.
 */
public interface Tensor {

  /** Where a tensor's bytes lie. */
  enum Location {
    /** In memory of the host, which Java can read. */
    HOST,
    /**
     * In the memory of a device: every access to host bytes is an {@link IllegalStateException}.
     */
    DEVICE
  }

  /**
   * Returns what one element is.
   *
   * @return the type
   */
  ElementType elementType();

  /**
   * Returns the dimensions, the slowest first.
   *
   * @return a new array, empty for a scalar
   */
  long[] shape();

  /**
   * Returns the bytes in logical order without gaps. A tensor that is not contiguous makes a copy
   * on each call; any other answers with the memory it lies on.
   *
   * @return {@link #byteSize} bytes
   * @throws IllegalStateException when the tensor lies on a device
   */
  MemorySegment segment();

  /**
   * Returns how many elements there are.
   *
   * @return the product of all dimensions, 1 for a scalar
   */
  default long elementCount() {
    return Shapes.elementCount(shape());
  }

  /**
   * Returns how many bytes the elements take without gaps.
   *
   * @return the size in bytes
   */
  default long byteSize() {
    return Shapes.byteSize(elementType(), shape());
  }

  /**
   * Returns where the bytes lie.
   *
   * @return host, unless the implementation says otherwise
   */
  default Location location() {
    return Location.HOST;
  }

  /**
   * Returns whether the elements lie side by side in logical order.
   *
   * @return false when {@link #segment} has to copy
   */
  default boolean isContiguous() {
    return true;
  }

  /**
   * Returns the same elements under another shape, without copying a contiguous tensor.
   *
   * @param shape the new dimensions
   * @return a tensor on the same memory
   * @throws IllegalArgumentException when the number of elements differs
   */
  default Tensor reshape(long... shape) {
    return HostTensor.of(elementType(), segment(), shape);
  }

  /**
   * Returns a part along the first dimension, without copying.
   *
   * @param from index of the first row
   * @param to index behind the last row
   * @return a tensor of {@code to - from} rows on the same memory
   * @throws IllegalStateException when the tensor is a scalar
   * @throws IndexOutOfBoundsException when the rows do not exist
   */
  default Tensor slice(long from, long to) {
    long[] rows = Shapes.slice(shape(), from, to);
    long rowBytes = Shapes.rowBytes(elementType(), rows);
    return HostTensor.of(
        elementType(), segment().asSlice(from * rowBytes, rows[0] * rowBytes), rows);
  }

  /**
   * Returns one row of the first dimension, without copying.
   *
   * @param index which row
   * @return a tensor with one dimension less, on the same memory
   * @throws IllegalStateException when the tensor is a scalar
   * @throws IndexOutOfBoundsException when the row does not exist
   */
  default Tensor at(long index) {
    Tensor row = slice(index, index + 1);
    return row.reshape(Shapes.tail(row.shape()));
  }

  /**
   * Returns one element as a number. For whole blocks take an array or {@link #segment}.
   *
   * @param index one index for each dimension
   * @return the element; a 64-bit integer beyond 2 to the 53 is rounded
   * @throws IllegalArgumentException when the number of indexes is not that of the dimensions
   * @throws IndexOutOfBoundsException when an index is outside its dimension
   */
  default double get(long... index) {
    long element = Shapes.flatIndex(shape(), index);
    return elementType().read(segment(), element * elementType().byteSize());
  }

  /**
   * Returns a private copy that may be written and that nobody else can end.
   *
   * @return a contiguous tensor on the heap, or on memory of its own when an array cannot hold it
   */
  default Tensor copy() {
    Tensor copy = Tensor.allocate(elementType(), shape());
    BulkCopy.copy(segment(), copy.segment());
    return copy;
  }

  /**
   * Returns the bytes as a buffer in native order, on the same memory when the tensor is
   * contiguous.
   *
   * @return a buffer with position 0
   * @throws UnsupportedOperationException when the tensor lies on an array that is not of bytes
   * @throws dev.holdfast.arena.UnitTooLargeException when it has more bytes than a buffer can hold
   */
  default ByteBuffer asByteBuffer() {
    Copies.requireBufferLength(byteSize());
    return segment().asByteBuffer().order(ByteOrder.nativeOrder());
  }

  /**
   * Copies the bytes.
   *
   * @return a new array of {@link #byteSize} bytes, for any element type
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default byte[] toByteArray() {
    byte[] copy = new byte[Copies.arrayLength(byteSize(), "byte[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_BYTE, copy, copy.length);
    return copy;
  }

  /**
   * Copies elements whose bits fit a {@code short}.
   *
   * @return a new array
   * @throws IllegalStateException when the elements have another carrier
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default short[] toShortArray() {
    Copies.requireCarrier(this, short.class);
    short[] copy = new short[Copies.arrayLength(elementCount(), "short[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_SHORT_UNALIGNED, copy, copy.length);
    return copy;
  }

  /**
   * Copies the elements of an INT32 tensor.
   *
   * @return a new array
   * @throws IllegalStateException when the elements are of another type
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default int[] toIntArray() {
    Copies.requireCarrier(this, int.class);
    int[] copy = new int[Copies.arrayLength(elementCount(), "int[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_INT_UNALIGNED, copy, copy.length);
    return copy;
  }

  /**
   * Copies the elements of an INT64 tensor.
   *
   * @return a new array
   * @throws IllegalStateException when the elements are of another type
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default long[] toLongArray() {
    Copies.requireCarrier(this, long.class);
    long[] copy = new long[Copies.arrayLength(elementCount(), "long[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_LONG_UNALIGNED, copy, copy.length);
    return copy;
  }

  /**
   * Copies the elements of a FLOAT32 tensor.
   *
   * @return a new array
   * @throws IllegalStateException when the elements are of another type
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default float[] toFloatArray() {
    Copies.requireCarrier(this, float.class);
    float[] copy = new float[Copies.arrayLength(elementCount(), "float[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_FLOAT_UNALIGNED, copy, copy.length);
    return copy;
  }

  /**
   * Copies the elements of a FLOAT64 tensor.
   *
   * @return a new array
   * @throws IllegalStateException when the elements are of another type
   * @throws dev.holdfast.arena.UnitTooLargeException when no array can hold them
   */
  default double[] toDoubleArray() {
    Copies.requireCarrier(this, double.class);
    double[] copy = new double[Copies.arrayLength(elementCount(), "double[]")];
    Copies.toArray(segment(), ValueLayout.JAVA_DOUBLE_UNALIGNED, copy, copy.length);
    return copy;
  }

  /**
   * Compares element type, shape and every bit of the elements, so that NaN equals the same NaN and
   * 0.0 differs from -0.0.
   *
   * @param other the tensor to compare with
   * @return true when all three are the same
   */
  default boolean contentEquals(Tensor other) {
    return elementType() == other.elementType()
        && Arrays.equals(shape(), other.shape())
        && segment().mismatch(other.segment()) == -1;
  }

  /**
   * Makes a tensor on memory that exists.
   *
   * @param type what one element is
   * @param bytes the elements in C order, in native byte order; read-only memory makes a read-only
   *     tensor
   * @param shape the dimensions
   * @return a tensor on that memory
   * @throws IllegalArgumentException when the memory has another size than the shape asks for, or
   *     the shape is negative or too large
   */
  static Tensor of(ElementType type, MemorySegment bytes, long... shape) {
    return HostTensor.of(type, bytes, shape);
  }

  /**
   * Makes an INT8 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(byte[] values, long... shape) {
    return of(ElementType.INT8, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes a UINT8 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor ofUnsigned(byte[] values, long... shape) {
    return of(ElementType.UINT8, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes an INT16 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(short[] values, long... shape) {
    return of(ElementType.INT16, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes an INT32 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(int[] values, long... shape) {
    return of(ElementType.INT32, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes an INT64 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(long[] values, long... shape) {
    return of(ElementType.INT64, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes a FLOAT32 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(float[] values, long... shape) {
    return of(ElementType.FLOAT32, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes a FLOAT64 tensor on an array.
   *
   * @param values the elements, not copied
   * @param shape the dimensions; none makes a scalar
   * @return the tensor
   */
  static Tensor of(double[] values, long... shape) {
    return of(ElementType.FLOAT64, MemorySegment.ofArray(values), shape);
  }

  /**
   * Makes a tensor whose elements lie apart: a transposed matrix, a crop, a channel. It is put into
   * logical order when it is sent or when its {@link #segment} is asked for.
   *
   * @param type what one element is
   * @param bytes where the elements lie
   * @param first which element of {@code bytes} is the one with all indexes 0
   * @param shape the dimensions
   * @param strides for each dimension how many elements further the next index lies; 0 and negative
   *     are legal
   * @return a tensor on that memory
   * @throws IllegalArgumentException when there are not as many strides as dimensions
   * @throws IndexOutOfBoundsException when an element would lie outside {@code bytes}
   */
  static Tensor strided(
      ElementType type, MemorySegment bytes, long first, long[] shape, long[] strides) {
    return StridedTensor.of(type, bytes, first, shape, strides);
  }

  /**
   * Makes a tensor of zeros that may be written.
   *
   * @param type what one element is
   * @param shape the dimensions
   * @return a tensor on an array of its element type, or on memory of its own when no array is
   *     large enough
   * @throws IllegalArgumentException when the shape is negative or too large
   */
  static Tensor allocate(ElementType type, long... shape) {
    return HostTensor.of(type, Copies.allocate(type, Shapes.elementCount(shape)), shape);
  }
}
