package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.os.Mappings;
import dev.holdfast.arena.internal.wait.OffCarrier;
import dev.holdfast.cuda.DeviceException;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * The primary context of a device, which other users of the driver in this process share. It is
 * retained on first use and until the process ends: memory and registrations of it can live as
 * long.
 *
 * <p>Each call pushes the context and pops it again, so that the thread's own current context is as
 * it was. When it cannot be pushed the call is not made, which is a DeviceException that names the
 * push. Calls of virtual threads are made by platform threads, as a driver may wait in any of them.
 * Thread-safe.
 */
public final class CudaContext {
  private static final Logger LOG = Logs.of("dev.holdfast.cuda");
  private static final ConcurrentMap<Integer, CudaContext> RETAINED = new ConcurrentHashMap<>();

  private static final int MEMORY_TYPE = 2; // an attribute of pointers
  private static final int HOST_MEMORY = 1; // its value for page-locked memory of the host

  /** What pop returns and nobody reads; 8 bytes, written by any thread. */
  private static final MemorySegment POPPED = Arena.global().allocate(ValueLayout.JAVA_LONG);

  private final DriverFunctions functions;
  private final int device;
  private final long handle;

  private CudaContext(DriverFunctions functions, int device, long handle) {
    this.functions = functions;
    this.device = device;
    this.handle = handle;
  }

  /** Returns the context of a device; throws DeviceException when there is none. */
  public static CudaContext of(int device) {
    DriverFunctions functions = Driver.functions();
    if (device < 0 || device >= Driver.devices()) {
      throw new DeviceException(
          FailureDetail.of("there is no such device")
              .with("device", device)
              .with("devices", Driver.devices())
              .advise("pass an index below the number of devices, or set LOCAL_RANK to one"));
    }
    return OffCarrier.call(
        () -> RETAINED.computeIfAbsent(device, index -> retain(functions, index)));
  }

  private static CudaContext retain(DriverFunctions functions, int index) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      Driver.check(CudaCall.DEVICE, functions.call(CudaCall.DEVICE, out.address(), index));
      int ordinal = out.get(ValueLayout.JAVA_INT, 0);
      Driver.check(
          CudaCall.PRIMARY_CONTEXT_RETAIN,
          functions.call(CudaCall.PRIMARY_CONTEXT_RETAIN, out.address(), ordinal));
      return new CudaContext(functions, index, out.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /** Returns the index of the device. */
  public int device() {
    return device;
  }

  int call(CudaCall call, long a) {
    return inside(() -> functions.call(call, a));
  }

  int call(CudaCall call, long a, long b) {
    return inside(() -> functions.call(call, a, b));
  }

  int call(CudaCall call, long a, long b, int c) {
    return inside(() -> functions.call(call, a, b, c));
  }

  int call(CudaCall call, long a, long b, long c, long d) {
    return inside(() -> functions.call(call, a, b, c, d));
  }

  /** Calls a function that stores a handle, and returns the handle. */
  long make(CudaCall call, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      Driver.check(call, inside(() -> functions.call(call, out.address(), flags)));
      return out.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Allocates device memory. */
  long allocate(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      int code = call(CudaCall.MEMORY_ALLOCATE, out.address(), bytes);
      if (code != CudaCode.SUCCESS) {
        throw new DeviceException(
            Driver.detail("device memory cannot be allocated", CudaCall.MEMORY_ALLOCATE, code)
                .with("askedBytes", bytes)
                .with("device", device)
                .advise(
                    "close device tensors that are not needed any more, or keep fewer results"));
      }
      return out.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /**
   * Returns whether the driver knows a range of host memory as page-locked, every page of it, by
   * whatever registrations; throws DeviceException when it does not say.
   */
  boolean isPageLocked(long address, long byteSize) {
    return OffCarrier.call(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
            for (long done = 0; done < byteSize; done += Mappings.pageSize()) {
              if (!isPageLocked(address + done, out)) {
                return false;
              }
            }
            return true;
          }
        });
  }

  private boolean isPageLocked(long address, MemorySegment out) {
    CudaCall call = CudaCall.POINTER_ATTRIBUTE;
    int code = inside(() -> functions.call(call, out.address(), MEMORY_TYPE, address));
    if (code == CudaCode.INVALID_VALUE) {
      return false; // memory that the driver does not know
    }
    Driver.check(call, code);
    return out.get(ValueLayout.JAVA_INT, 0) == HOST_MEMORY;
  }

  /** Ends something whose end nobody can wait for; a refusal is logged. */
  void end(CudaCall call, long handle) {
    try {
      Driver.check(call, call(call, handle));
    } catch (DeviceException e) {
      LOG.log(
          Logger.Level.WARNING,
          () -> "something could not be given back to the CUDA driver: " + e.getMessage());
    }
  }

  private int inside(Supplier<Integer> call) {
    return OffCarrier.call(
        () -> {
          Driver.check(CudaCall.CONTEXT_PUSH, functions.call(CudaCall.CONTEXT_PUSH, handle));
          try {
            return call.get();
          } finally {
            pop();
          }
        });
  }

  private void pop() {
    int popped = functions.call(CudaCall.CONTEXT_POP, POPPED.address());
    if (popped != CudaCode.SUCCESS) {
      LOG.log(
          Logger.Level.WARNING,
          () -> Driver.detail("a context stays current", CudaCall.CONTEXT_POP, popped).message());
    }
  }
}
