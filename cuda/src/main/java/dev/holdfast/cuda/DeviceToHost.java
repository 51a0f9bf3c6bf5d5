package dev.holdfast.cuda;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.internal.DeviceChoice;
import dev.holdfast.cuda.internal.ItemTree;
import dev.holdfast.cuda.internal.Lane;
import dev.holdfast.cuda.internal.Lanes;
import dev.holdfast.cuda.internal.Transfer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies items back from a device: each {@link DeviceTensor} in any nesting of records, lists, maps
 * and arrays becomes a tensor on the heap; everything else passes through.
 *
 * <p>The bytes come through memory of this object's own, which is used again and again and can be
 * page-locked. A call returns when all its copies are done; until that is proved, sources, that
 * memory and the stream are kept, also when the call fails.
 *
 * <p>Thread-safe: each platform thread has a stream of its own, made on its first copy; virtual
 * threads take turns with as many as there are copies at a time. {@link #close} gives them back.
 */
public final class DeviceToHost implements AutoCloseable {
  private final Lanes lanes;

  private DeviceToHost(Builder builder) {
    this.lanes = new Lanes(DeviceChoice.context(builder.device), builder.stagingPinner, 0);
  }

  /**
   * Returns a copier from the device that the environment variable {@code LOCAL_RANK} names, the
   * first one without.
   *
   * @return the copier
   * @throws DeviceException when there is no driver or no such device
   */
  public static DeviceToHost create() {
    return builder().build();
  }

  /**
   * Begins the description of a copier.
   *
   * @return a builder with the device of {@code LOCAL_RANK}
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns which device is copied from.
   *
   * @return the device's index
   */
  public int device() {
    return lanes.context().device();
  }

  /**
   * Copies the device tensors of an item, after what the device's default stream was asked for
   * until now, and waits until all copies are done.
   *
   * @param <T> its type, which must also do for the result: declare components as {@link Tensor}
   * @param item any nesting of records, lists, maps and arrays
   * @return the item made again, or the same when it has no device tensor
   * @throws DeviceException when the driver refuses
   * @throws IllegalArgumentException when a container cannot be made again, or a tensor lies on
   *     another device
   * @throws IllegalStateException when a tensor or this object is closed
   */
  public <T> T copy(T item) {
    return copy(item, 0);
  }

  /**
   * Copies the device tensors of an item after an event, and waits until all copies are done.
   *
   * @param <T> its type, which must also do for the result: declare components as {@link Tensor}
   * @param item any nesting of records, lists, maps and arrays
   * @param producerEvent a CUevent, recorded behind the work that fills the tensors; 0 stands for
   *     what the default stream was asked for until now
   * @return the item made again, or the same when it has no device tensor
   * @throws DeviceException when the driver refuses
   * @throws IllegalArgumentException when a container cannot be made again, or a tensor lies on
   *     another device
   * @throws IllegalStateException when a tensor or this object is closed
   */
  @SuppressWarnings("unchecked") // containers are made again of the same class; see the parameter
  public <T> T copy(T item, long producerEvent) {
    Lane lane = lanes.enter();
    try {
      Object result = copy(item, producerEvent, lane);
      return (T) Objects.requireNonNull(result);
    } finally {
      lanes.leave(lane);
    }
  }

  /**
   * Copies a tensor, after what the device's default stream was asked for until now.
   *
   * @param tensor on a device or on the host
   * @return a new tensor on the heap, or the same when it lies on the host
   * @throws DeviceException when the driver refuses
   * @throws IllegalArgumentException when the tensor lies on another device
   * @throws IllegalStateException when the tensor or this object is closed
   */
  public Tensor copy(Tensor tensor) {
    return (Tensor) Objects.requireNonNull(this.<Object>copy((Object) tensor));
  }

  private @Nullable Object copy(@Nullable Object item, long producerEvent, Lane lane) {
    Transfer transfer = lane.begin(producerEvent);
    try {
      Object result = ItemTree.map(item, tensor -> copy(tensor, transfer));
      transfer.finish();
      return result;
    } catch (Throwable e) { // code of the user may throw what it does not declare
      transfer.abort(e);
      throw e;
    }
  }

  private Tensor copy(Tensor tensor, Transfer transfer) {
    if (!(tensor instanceof DeviceTensor source)) {
      return tensor;
    }
    if (source.device() != device()) {
      throw new IllegalArgumentException(
          "the tensor lies on another device: device=%d expected=%d"
              .formatted(source.device(), device()));
    }
    Tensor copy = Tensor.allocate(source.elementType(), source.shape());
    transfer.toHost(source.memory(), source.offset(), copy.segment());
    return copy;
  }

  /**
   * Waits for copies under way and gives all streams back. Repeating it does nothing.
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
     * Page-locks the memory through which the bytes come.
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
    public DeviceToHost build() {
      return new DeviceToHost(this);
    }
  }
}
