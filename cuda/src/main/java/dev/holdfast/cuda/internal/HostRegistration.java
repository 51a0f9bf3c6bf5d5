package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.memory.PinBudget;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Host memory that the driver has page-locked. Thread-safe. */
public final class HostRegistration implements PagePinner.Registration {
  private static final Logger LOG = System.getLogger("dev.holdfast.cuda");
  private static final int PORTABLE = 1; // for the contexts of all devices
  private static final int IN_USE = -1;

  private final CudaContext context;
  private final @Nullable PinBudget budget;
  private final long address;
  private final long byteSize;
  private boolean active = true; // guarded by this

  private HostRegistration(CudaContext context, @Nullable PinBudget budget, MemorySegment memory) {
    this.context = context;
    this.budget = budget;
    this.address = memory.address();
    this.byteSize = memory.byteSize();
  }

  /** Registers memory, or finds that somebody else has. */
  public static HostRegistration of(CudaContext context, PinBudget budget, MemorySegment memory) {
    budget.take(memory.byteSize());
    int code = context.call(CudaCall.HOST_REGISTER, memory.address(), memory.byteSize(), PORTABLE);
    if (code == CudaCode.SUCCESS) {
      return new HostRegistration(context, budget, memory);
    }
    budget.giveBack(memory.byteSize());
    if (code == CudaCode.ALREADY_REGISTERED) {
      return new HostRegistration(context, null, memory);
    }
    throw new PinningException(
        Driver.detail("the CUDA driver does not page-lock the memory", CudaCall.HOST_REGISTER, code)
            .with("askedBytes", memory.byteSize())
            .with("inUseBytes", budget.inUseBytes())
            .advise(advice(code) + ", or go on unpinned by leaving out pinned(..)"));
  }

  private static String advice(int code) {
    return switch (code) {
      case CudaCode.OUT_OF_MEMORY ->
          "the driver or the machine has reached its limit of page-locked memory: pin less";
      case CudaCode.NOT_SUPPORTED -> "this machine cannot page-lock memory of that kind";
      case CudaCode.INVALID_VALUE ->
          "the driver does not take memory of that kind: try another backing";
      default -> "see the driver's manual for the code";
    };
  }

  @Override
  public long byteSize() {
    return byteSize;
  }

  @Override
  public boolean isForeign() {
    return budget == null;
  }

  @Override
  public synchronized boolean isActive() {
    return active;
  }

  @Override
  public synchronized void close() {
    if (!active) {
      return;
    }
    if (budget != null) {
      unregister();
      budget.giveBack(byteSize);
    }
    active = false;
  }

  private void unregister() {
    int code =
        CopyInFlight.whileUnused(
            address, byteSize, () -> context.call(CudaCall.HOST_UNREGISTER, address));
    if (code == IN_USE) {
      throw new PinningException(
          FailureDetail.of("copies with a device still use page-locked memory")
              .with("bytes", byteSize)
              .advise("it stays registered and mapped, and is tried again"));
    }
    if (code == CudaCode.NOT_REGISTERED) {
      LOG.log(
          Logger.Level.WARNING,
          () ->
              Driver.detail(
                      "memory was unregistered behind our back", CudaCall.HOST_UNREGISTER, code)
                  .with("bytes", byteSize)
                  .message());
    } else if (code != CudaCode.SUCCESS) {
      throw new PinningException(
          Driver.detail(
                  "the CUDA driver does not unregister memory", CudaCall.HOST_UNREGISTER, code)
              .with("bytes", byteSize)
              .advise("it stays registered and mapped, and is tried again"));
    }
  }
}
