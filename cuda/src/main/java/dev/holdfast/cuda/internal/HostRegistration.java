package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.memory.PinBudget;
import dev.holdfast.arena.internal.memory.UnendedRegistration;
import dev.holdfast.arena.internal.wait.OffCarrier;
import dev.holdfast.cuda.DeviceException;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Host memory that the driver has page-locked. While it is, the memory is kept reachable, so that
 * no collection frees it under the driver. Thread-safe.
 */
public final class HostRegistration implements PagePinner.Registration {
  private static final Logger LOG = Logs.of("dev.holdfast.cuda");
  private static final int PORTABLE = 1; // for the contexts of all devices
  private static final int IN_USE = -1;

  /** What we have or may have registered. */
  private static final ConcurrentMap<HostRegistration, MemorySegment> KEPT =
      new ConcurrentHashMap<>();

  private enum State {
    /** The driver was not asked, or has refused and done nothing, or has ended it. */
    NONE,

    /** Registered by us. */
    OURS,

    /** Registered by somebody else, all of it. */
    FOREIGN,

    /** The driver has refused, and it is not known whether it did it all the same. */
    UNKNOWN
  }

  private final CudaContext context;
  private final PinBudget budget;
  private final long address;
  private final long byteSize;
  private volatile State state = State.NONE; // this and the following written under this
  private volatile boolean foreign;

  private HostRegistration(CudaContext context, PinBudget budget, MemorySegment memory) {
    this.context = context;
    this.budget = budget;
    this.address = memory.address();
    this.byteSize = memory.byteSize();
  }

  /** Registers memory, or finds that somebody else has. */
  public static HostRegistration of(CudaContext context, PinBudget budget, MemorySegment memory) {
    budget.take(memory.byteSize());
    HostRegistration registration;
    try {
      registration = new HostRegistration(context, budget, memory);
      KEPT.put(registration, memory);
    } catch (Throwable e) {
      budget.giveBack(memory.byteSize());
      throw e;
    }
    registration.begin();
    return registration;
  }

  /*
   * A driver that reports a failure can have registered the memory all the same. Whether it has is
   * asked of the driver, and only what nobody had registered before is taken for ours: memory of
   * others is never unregistered. What cannot be found out is asked again when the memory is about
   * to be unmapped, which waits for the answer.
   */
  private synchronized void begin() {
    try {
      boolean known = isLocked(1); // the first page, by somebody else
      state = State.UNKNOWN; // until the driver has answered
      int code = register();
      if (code == CudaCode.SUCCESS) {
        state = State.OURS;
        return;
      }
      if (known || code == CudaCode.ALREADY_REGISTERED) {
        state = State.NONE; // what there is, is somebody else's
      }
      if (code != CudaCode.ALREADY_REGISTERED || !isLocked(byteSize)) {
        throw refused(
            Driver.detail(
                "the CUDA driver does not page-lock the memory", CudaCall.HOST_REGISTER, code),
            code);
      }
      foreign = true;
      state = State.FOREIGN;
    } catch (Throwable e) {
      rollBack(e);
      throw e;
    } finally {
      if (state == State.NONE || state == State.FOREIGN) {
        forget();
      }
    }
  }

  private int register() {
    try {
      return context.call(CudaCall.HOST_REGISTER, address, byteSize, PORTABLE);
    } catch (DeviceException e) {
      state = State.NONE; // it was not asked
      throw refused(e.detail(), e.code());
    }
  }

  /** Fails where the driver does not say, so that no guess decides what is ours. */
  private boolean isLocked(long bytes) {
    try {
      return context.isPageLocked(address, bytes);
    } catch (DeviceException e) {
      throw refused(e.detail(), e.code());
    }
  }

  private void rollBack(Throwable failure) {
    if (state == State.UNKNOWN) {
      try {
        end();
      } catch (RuntimeException | Error e) {
        failure.addSuppressed(new UnendedRegistration(this, e));
      }
    }
  }

  /** Gives back what only memory needs that is or may be registered by us. */
  private void forget() {
    if (KEPT.remove(this) != null) {
      budget.giveBack(byteSize);
    }
  }

  private PinningException refused(FailureDetail detail, int code) {
    return new PinningException(
        detail
            .with("askedBytes", byteSize)
            .with("inUseBytes", budget.inUseBytes() - byteSize)
            .advise(advice(code) + ", or go on unpinned by leaving out pinned(..)"));
  }

  private static String advice(int code) {
    return switch (code) {
      case CudaCode.OUT_OF_MEMORY ->
          "the driver or the machine has reached its limit of page-locked memory: pin less";
      case CudaCode.NOT_SUPPORTED -> "this machine cannot page-lock memory of that kind";
      case CudaCode.INVALID_VALUE ->
          "the driver does not take memory of that kind: try another backing";
      case CudaCode.ALREADY_REGISTERED ->
          "another part of the process has page-locked a part of it: leave that to one of the two";
      default -> "see the driver's manual for the code";
    };
  }

  @Override
  public long byteSize() {
    return byteSize;
  }

  @Override
  public boolean isForeign() {
    return foreign;
  }

  @Override
  public boolean isActive() {
    return state == State.OURS || state == State.FOREIGN;
  }

  @Override
  public synchronized void close() {
    switch (state) {
      case NONE -> {}
      case FOREIGN -> state = State.NONE;
      case OURS, UNKNOWN -> {
        end();
        forget();
      }
    }
  }

  private void end() {
    try {
      if (state != State.UNKNOWN || context.isPageLocked(address, 1)) {
        unregister();
      }
    } catch (DeviceException e) {
      throw stays(e.detail());
    }
    state = State.NONE;
  }

  private void unregister() {
    CudaCall call = CudaCall.HOST_UNREGISTER;
    int code =
        OffCarrier.call( // so that the lock on copies is no virtual thread's while the driver works
            () -> CopyInFlight.whileUnused(address, byteSize, () -> context.call(call, address)));
    switch (code) {
      case CudaCode.SUCCESS -> {}
      case IN_USE -> throw stays(FailureDetail.of("copies with a device still use the memory"));
      case CudaCode.NOT_REGISTERED ->
          LOG.log(
              Logger.Level.WARNING,
              () ->
                  Driver.detail("memory was unregistered already", call, code)
                      .with("bytes", byteSize)
                      .message());
      default ->
          throw stays(Driver.detail("the CUDA driver does not unregister memory", call, code));
    }
  }

  private PinningException stays(FailureDetail detail) {
    return new PinningException(
        detail
            .with("bytes", byteSize)
            .advise("it stays registered and mapped, and is tried again"));
  }
}
