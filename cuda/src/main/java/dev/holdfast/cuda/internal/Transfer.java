package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.memory.BulkCopy;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.cuda.DeviceException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The copies of one call, on one stream, which is made or taken with the first of them. Used by one
 * thread, which ends with {@link #finish} or, after any failure, with {@link #abort}.
 *
 * <p>A transfer is settled once: either the stream was seen idle, and all that was kept for the
 * copies is given back; or that could not be seen, and copies, memory and stream go to the
 * quarantine together, where the stream is asked again. A copy whose submission failed counts as
 * submitted, since nobody knows.
 */
public final class Transfer {
  private final LaneResources lane;
  private final long producerEvent;
  private final List<CopyInFlight> copies = new ArrayList<>();
  private final List<ToFill> toFill = new ArrayList<>();
  private boolean settled;
  private @Nullable CudaStream asked;

  private record ToFill(MemorySegment staged, MemorySegment target) {}

  Transfer(LaneResources lane, long producerEvent) {
    this.lane = lane;
    this.producerEvent = producerEvent;
  }

  /**
   * Asks for a copy to the device. A source outside any arena is copied to memory of our own first.
   */
  public void toDevice(MemorySegment source, DeviceMemory target) {
    long byteSize = source.byteSize();
    if (byteSize == 0) {
      return;
    }
    StorageHold hold = holdOf(source);
    CopyInFlight copy;
    try {
      if (hold != null) {
        copy = started(source.address(), byteSize, target, hold, null);
      } else {
        MemoryMapping staged = lane.staging().take(byteSize);
        MemorySegment bytes = staged.segment().asSlice(0, byteSize);
        copy = started(bytes.address(), byteSize, target, null, staged);
        BulkCopy.copy(source, bytes);
      }
    } catch (Throwable e) {
      if (hold != null) {
        hold.close();
      }
      throw e;
    }
    submit(CudaCall.COPY_TO_DEVICE, target.address(), copy.hostAddress(), byteSize);
  }

  /** Asks for a copy from the device; the target is filled when {@link #finish} has returned. */
  public void toHost(DeviceMemory source, long offset, MemorySegment target) {
    long byteSize = target.byteSize();
    if (byteSize == 0) {
      return;
    }
    MemoryMapping staged = lane.staging().take(byteSize);
    MemorySegment bytes = staged.segment().asSlice(0, byteSize);
    started(bytes.address(), byteSize, source, null, staged);
    toFill.add(new ToFill(bytes, target));
    if (toFill.size() == 1) {
      lane.waitForProducer(stream(), producerEvent);
    }
    submit(CudaCall.COPY_TO_HOST, bytes.address(), source.address() + offset, byteSize);
  }

  private static @Nullable StorageHold holdOf(MemorySegment source) {
    if (!source.isNative()) {
      return null;
    }
    try {
      return StorageHold.of(source);
    } catch (IllegalArgumentException e) {
      return null; // memory of no arena
    }
  }

  private CopyInFlight started(
      long hostAddress,
      long byteSize,
      DeviceMemory deviceMemory,
      @Nullable StorageHold hold,
      @Nullable MemoryMapping staged) {
    if (!deviceMemory.retain()) {
      if (staged != null) {
        lane.staging().giveBack(staged);
      }
      throw new IllegalStateException("the device tensor is closed");
    }
    CopyInFlight copy = new CopyInFlight(hostAddress, byteSize, deviceMemory, hold, staged);
    copies.add(copy);
    copy.begin();
    return copy;
  }

  private CudaStream stream() {
    CudaStream stream = asked;
    if (stream == null) {
      stream = lane.stream();
      asked = stream;
    }
    return stream;
  }

  private void submit(CudaCall call, long target, long source, long byteSize) {
    CudaStream stream = stream();
    int code = stream.context().call(call, target, source, byteSize, stream.handle());
    if (code != CudaCode.SUCCESS) {
      throw new DeviceException(
          Driver.detail("a copy could not be started", call, code)
              .with("bytes", byteSize)
              .with("device", stream.context().device()));
    }
  }

  /** Waits until all copies have happened and gives back what they needed. */
  public void finish() {
    try {
      synchronize();
    } catch (RuntimeException | Error e) {
      throw quarantined(e);
    }
    for (ToFill filled : toFill) {
      BulkCopy.copy(filled.staged, filled.target);
    }
    settle();
  }

  /**
   * Ends a transfer that failed: waits for the copies that were asked for. When that fails too,
   * they are kept in the quarantine, and the failure says so in a suppressed one.
   */
  public void abort(Throwable failure) {
    if (settled) {
      return;
    }
    try {
      synchronize();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(quarantined(e));
      return;
    }
    settle();
  }

  private void synchronize() {
    CudaStream stream = asked;
    if (stream != null) { // else nothing was asked of it
      stream.synchronize();
    }
  }

  private void settle() {
    settled = true;
    for (CopyInFlight copy : copies) {
      copy.end();
      if (copy.staged() != null) {
        lane.staging().giveBack(copy.staged());
      }
    }
  }

  private DeviceException quarantined(Throwable cause) {
    settled = true;
    lane.giveUpStream();
    UnprovedTransfer kept = new UnprovedTransfer(stream(), copies, cause);
    Quarantine.add(kept);
    FailureDetail detail = FailureDetail.of("the end of copies cannot be proved");
    if (cause instanceof HoldfastFailure failure) {
      for (var fact : failure.facts().entrySet()) {
        detail = detail.with(fact.getKey(), fact.getValue());
      }
    }
    return new DeviceException(
        detail
            .with("kept", kept.what())
            .advise(
                "sources, destinations and stream are kept until the driver says that it has finished"),
        cause);
  }
}
