package dev.holdfast.acceptance.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.testkit.cuda.StubDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;

/**
 * The driver as a program calls it that copies by itself: the first device's context is current on
 * the thread that makes this object, until the same thread closes it.
 */
@SuppressWarnings("restricted") // as a native library of somebody else would call it
final class RawDriver implements AutoCloseable {
  private final SymbolLookup symbols =
      SymbolLookup.libraryLookup(
          System.getProperty(StubDriver.DRIVER_PROPERTY, "libcuda.so.1"), Arena.global());
  private final Map<String, MethodHandle> handles = new HashMap<>();
  private final Arena arena = Arena.ofShared();
  private final long stream;

  RawDriver() {
    call("cuInit", 0);
    MemorySegment out = arena.allocate(JAVA_LONG);
    call("cuDeviceGet", out.address(), 0);
    call("cuDevicePrimaryCtxRetain", out.address(), out.get(JAVA_INT, 0));
    call("cuCtxPushCurrent_v2", out.get(JAVA_LONG, 0));
    call("cuStreamCreate", out.address(), 1);
    this.stream = out.get(JAVA_LONG, 0);
  }

  /** Calls a function whose parameters are as wide as the arguments; it must succeed. */
  private void call(String function, Object... arguments) {
    MethodHandle handle = handles.computeIfAbsent(function, name -> bind(name, arguments));
    try {
      assertEquals(0, (int) handle.invokeWithArguments(arguments), function);
    } catch (Throwable e) {
      throw new AssertionError(function, e);
    }
  }

  private MethodHandle bind(String function, Object... arguments) {
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT);
    for (Object argument : arguments) {
      type = type.appendArgumentLayouts(argument instanceof Long ? JAVA_LONG : JAVA_INT);
    }
    return Linker.nativeLinker().downcallHandle(symbols.find(function).orElseThrow(), type);
  }

  /** Has the stream call a function, and wait for its end, before it goes on. */
  void then(Runnable body) {
    try {
      MethodHandle run =
          MethodHandles.lookup()
              .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
              .bindTo(body);
      MethodHandle ignoring = MethodHandles.dropArguments(run, 0, MemorySegment.class);
      MemorySegment function =
          Linker.nativeLinker().upcallStub(ignoring, FunctionDescriptor.ofVoid(ADDRESS), arena);
      call("cuLaunchHostFunc", stream, function.address(), 0L);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a runnable cannot be called", e);
    }
  }

  long allocate(long bytes) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment out = own.allocate(JAVA_LONG);
      call("cuMemAlloc_v2", out.address(), bytes);
      return out.get(JAVA_LONG, 0);
    }
  }

  void free(long device) {
    call("cuMemFree_v2", device);
  }

  void copyToDevice(long device, long host, long bytes) {
    call("cuMemcpyHtoDAsync_v2", device, host, bytes, stream);
  }

  void copyToHost(MemorySegment host, long device) {
    call("cuMemcpyDtoHAsync_v2", host.address(), device, host.byteSize(), stream);
  }

  void synchronize() {
    call("cuStreamSynchronize", stream);
  }

  @Override
  public void close() {
    synchronize(); // the stream may still be in a function that the arena keeps
    call("cuStreamDestroy_v2", stream);
    call("cuCtxPopCurrent_v2", arena.allocate(JAVA_LONG).address());
    arena.close();
  }
}
