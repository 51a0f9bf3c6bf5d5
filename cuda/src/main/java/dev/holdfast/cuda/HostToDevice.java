package dev.holdfast.cuda;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.internal.CudaContext;
import dev.holdfast.cuda.internal.DeviceChoice;
import dev.holdfast.cuda.internal.DeviceMemory;
import dev.holdfast.cuda.internal.ItemTree;
import dev.holdfast.cuda.internal.Lane;
import dev.holdfast.cuda.internal.Lanes;
import dev.holdfast.cuda.internal.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies items to a device: each tensor in any nesting of records, lists, maps and arrays becomes a
 * {@link DeviceTensor}; everything else, tensors on a device too, passes through.
 *
 * <p>Tensors on an arena are copied from where they lie, with a hold on each, directly when the
 * arena is pinned. Others go through memory of this object's own, as nobody else vouches for
 * theirs. A call returns when all its copies are done; until that is proved, sources, destinations
 * and the stream are kept, also when the call fails.
 *
 * <p>Thread-safe: each platform thread has a stream of its own, made on its first copy; virtual
 * threads take turns with as many as there are copies at a time. {@link #close} gives the streams
 * back; device tensors live on.
 */
public final class HostToDevice implements AutoCloseable {
  private final Lanes lanes;

  private HostToDevice(Builder builder) {
    this.lanes =
        new Lanes(DeviceChoice.context(builder.device), builder.stagingPinner, builder.keep);
  }

  /**
   * Returns a copier to the device that the environment variable {@code LOCAL_RANK} names, the
   * first one without.
   *
   * @return the copier
   * @throws DeviceException when there is no driver or no such device
   */
  public static HostToDevice create() {
    return builder().build();
  }

  /**
   * Begins the description of a copier.
   *
   * @return a builder with the device of {@code LOCAL_RANK}, that keeps no results
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns which device is copied to.
   *
   * @return the device's index
   */
  public int device() {
    return lanes.context().device();
  }

  /**
   * Copies the tensors of an item and waits until all copies are done.
   *
   * @param <T> its type, which must also do for the result: declare components as {@link Tensor}
   * @param item any nesting of records, lists, maps and arrays
   * @return the item made again, or the same when it has no tensor on the host
   * @throws DeviceException when the driver refuses; nothing of the item is left on the device
   * @throws IllegalArgumentException when a container cannot be made again
   * @throws IllegalStateException when a tensor's memory has ended, or this object is closed
   */
  @SuppressWarnings("unchecked") // containers are made again of the same class; see the parameter
  public <T> T copy(T item) {
    Lane lane = lanes.enter();
    try {
      Object result = copy(item, lane);
      return (T) Objects.requireNonNull(result);
    } finally {
      lanes.leave(lane);
    }
  }

  /**
   * Copies a tensor and waits until that is done.
   *
   * @param tensor on the host or on a device
   * @return a new tensor on the device, or the same when it lies on one
   * @throws DeviceException when the driver refuses
   * @throws IllegalStateException when the tensor's memory has ended, or this object is closed
   */
  public DeviceTensor copy(Tensor tensor) {
    return (DeviceTensor) Objects.requireNonNull(this.<Object>copy((Object) tensor));
  }

  private @Nullable Object copy(@Nullable Object item, Lane lane) {
    List<DeviceTensor> made = new ArrayList<>();
    Transfer transfer = lane.begin(0);
    try {
      Object result = ItemTree.map(item, tensor -> copy(tensor, transfer, made));
      transfer.finish();
      if (result != null) {
        lane.keep(result);
      }
      return result;
    } catch (Throwable e) { // code of the user may throw what it does not declare
      transfer.abort(e);
      made.forEach(DeviceTensor::close);
      throw e;
    }
  }

  private Tensor copy(Tensor tensor, Transfer transfer, List<DeviceTensor> made) {
    if (tensor.location() == Tensor.Location.DEVICE) {
      return tensor;
    }
    MemorySegment bytes = tensor.segment();
    if (bytes.byteSize() != tensor.byteSize()) {
      throw new IllegalArgumentException(
          "the memory has not the size of the tensor: bytes=%d expected=%d"
              .formatted(bytes.byteSize(), tensor.byteSize()));
    }
    CudaContext context = lanes.context();
    DeviceMemory memory = DeviceMemory.allocate(context, bytes.byteSize());
    DeviceTensor copy = new DeviceTensor(memory, tensor.elementType(), tensor.shape(), 0);
    made.add(copy);
    transfer.toDevice(bytes, memory);
    return copy;
  }

  /**
   * Waits for copies under way and gives all streams and kept results back. Repeating it does
   * nothing.
   *
   * @throws IllegalStateException when code that one of its own copies calls closes it
   */
  @Override
  public void close() {
    lanes.close();
  }

  /** Describes a copier. Not thread-safe. */
  public static final class Builder {
    private @Nullable Integer device;
    private @Nullable PagePinner stagingPinner;
    private int keep;

    private Builder() {}

    /**
     * Names the device.
     *
     * @param index the device's index
     * @return this builder
     */
    public Builder device(int index) {
      this.device = index;
      return this;
    }

    /**
     * Has each platform thread keep its last results reachable, so that their memory is not freed
     * while kernels that were asked for may still read it. Copies of virtual threads, and those
     * that code called by a copy makes, take turns with streams, and each of these streams keeps
     * the last results of whoever used it: a thread cannot count on its own being among them.
     *
     * @param results how many
     * @return this builder
     * @throws IllegalArgumentException when it is negative
     */
    public Builder keepLast(int results) {
      if (results < 0) {
        throw new IllegalArgumentException("results must not be negative: results=" + results);
      }
      this.keep = results;
      return this;
    }

    /**
     * Page-locks the memory through which tensors outside any arena are copied.
     *
     * @param pinner locks it and keeps to its budget; a copy that needs more than that fails
     * @return this builder
     */
    public Builder pinnedStaging(PagePinner pinner) {
      this.stagingPinner = Objects.requireNonNull(pinner, "pinner");
      return this;
    }

    /**
     * Makes the copier.
     *
     * @return the copier
     * @throws DeviceException when there is no driver or no such device
     */
    public HostToDevice build() {
      return new HostToDevice(this);
    }
  }
}
