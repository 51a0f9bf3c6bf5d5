package dev.holdfast.cuda;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.internal.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * A contiguous tensor in the memory of a device. Every access to its bytes from the host is an
 * {@link IllegalStateException}; {@link DeviceToHost} brings them back.
 *
 * <p>It owns its memory together with the tensors made from it by {@link #reshape}, {@link #slice}
 * and {@link #at}. The memory is freed by {@link #close} on any of them, or when the garbage
 * collector finds all of them gone, in both cases not before copies of this module that use it have
 * ended. Work that others ask of the device is not known here: close, or drop, a tensor only when
 * that is done. Thread-safe.
 */
public final class DeviceTensor implements Tensor, AutoCloseable {
  private final DeviceMemory memory;
  private final ElementType type;
  private final long[] shape;
  private final long offset;

  DeviceTensor(DeviceMemory memory, ElementType type, long[] shape, long offset) {
    this.memory = memory;
    this.type = type;
    this.shape = shape.clone();
    this.offset = offset;
  }

  @Override
  public ElementType elementType() {
    return type;
  }

  @Override
  public long[] shape() {
    return shape.clone();
  }

  @Override
  public Location location() {
    return Location.DEVICE;
  }

  /**
   * Returns which device the tensor lies on.
   *
   * @return the device's index
   */
  public int device() {
    return memory.device();
  }

  /**
   * Returns where the elements lie, for kernels and libraries that take a CUdeviceptr. The address
   * keeps nothing: keep this object as long as the device may use it.
   *
   * @return the device address, 0 for a tensor without elements
   * @throws IllegalStateException when the memory was freed by {@link #close}
   */
  public long address() {
    requireOpen();
    return byteSize() == 0 ? 0 : memory.address() + offset;
  }

  /**
   * Never returns: the bytes are not the host's.
   *
   * @return nothing
   * @throws IllegalStateException always
   */
  @Override
  public MemorySegment segment() {
    throw onDevice();
  }

  @Override
  public double get(long... index) {
    throw onDevice();
  }

  @Override
  public Tensor copy() {
    throw onDevice();
  }

  @Override
  public byte[] toByteArray() {
    throw onDevice();
  }

  @Override
  public short[] toShortArray() {
    throw onDevice();
  }

  @Override
  public int[] toIntArray() {
    throw onDevice();
  }

  @Override
  public long[] toLongArray() {
    throw onDevice();
  }

  @Override
  public float[] toFloatArray() {
    throw onDevice();
  }

  @Override
  public double[] toDoubleArray() {
    throw onDevice();
  }

  @Override
  public boolean contentEquals(Tensor other) {
    throw onDevice();
  }

  @Override
  public DeviceTensor reshape(long... newShape) {
    DeviceTensor again = new DeviceTensor(memory, type, newShape, offset);
    if (again.elementCount() != elementCount()) {
      throw new IllegalArgumentException(
          "another number of elements: shape=%s newShape=%s"
              .formatted(Arrays.toString(shape), Arrays.toString(newShape)));
    }
    return again;
  }

  @Override
  public DeviceTensor slice(long from, long to) {
    if (shape.length == 0) {
      throw new IllegalStateException("a scalar has no rows to take a part of");
    }
    Objects.checkFromToIndex(from, to, shape[0]);
    long rowBytes = shape[0] == 0 ? 0 : byteSize() / shape[0];
    long[] rows = shape.clone();
    rows[0] = to - from;
    return new DeviceTensor(memory, type, rows, offset + from * rowBytes);
  }

  @Override
  public DeviceTensor at(long index) {
    DeviceTensor row = slice(index, index + 1);
    return new DeviceTensor(memory, type, Arrays.copyOfRange(shape, 1, shape.length), row.offset);
  }

  /**
   * Frees the memory, for all tensors on it, when no copy of this module uses it. Repeating it does
   * nothing.
   */
  @Override
  public void close() {
    memory.close();
  }

  DeviceMemory memory() {
    return memory;
  }

  long offset() {
    return offset;
  }

  private void requireOpen() {
    if (memory.isClosed()) {
      throw new IllegalStateException("the device tensor is closed: " + this);
    }
  }

  private IllegalStateException onDevice() {
    return new IllegalStateException(
        "the tensor lies on a device, which the host cannot read: "
            + this
            + "; copy it with DeviceToHost");
  }

  @Override
  public String toString() {
    return "DeviceTensor["
        + type
        + ", shape="
        + Arrays.toString(shape)
        + ", device="
        + device()
        + "]";
  }
}
