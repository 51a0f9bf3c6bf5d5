package dev.holdfast.cuda.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * A driver library, loaded and bound. No call here needs or changes the thread's current context
 * but those that are about it. Thread-safe.
 */
@SuppressWarnings("restricted") // this class is where the module calls native code
final class DriverFunctions {
  private static final int MAX_TEXT = 512;

  private final Map<CudaCall, MethodHandle> handles = new EnumMap<>(CudaCall.class);

  private DriverFunctions(SymbolLookup symbols) {
    Linker linker = Linker.nativeLinker();
    for (CudaCall call : CudaCall.values()) {
      MemorySegment address =
          symbols
              .find(call.symbol())
              .orElseThrow(
                  () -> new UnsupportedOperationException("it has no function " + call.symbol()));
      handles.put(call, linker.downcallHandle(address, call.type()));
    }
  }

  /**
   * Loads a library, for the life of the process.
   *
   * @param place a path, or a name that dlopen(3) looks for
   * @throws IllegalArgumentException when it cannot be loaded
   * @throws UnsupportedOperationException when it lacks a function
   * @throws IllegalCallerException when this module may not call native code
   */
  static DriverFunctions open(String place) {
    return new DriverFunctions(SymbolLookup.libraryLookup(place, Arena.global()));
  }

  int call(CudaCall call, int a) {
    try {
      return (int) handle(call).invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a) {
    try {
      return (int) handle(call).invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, int a, long b) {
    try {
      return (int) handle(call).invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, int b) {
    try {
      return (int) handle(call).invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, int b, int c) {
    try {
      return (int) handle(call).invokeExact(a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, int b, long c) {
    try {
      return (int) handle(call).invokeExact(a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, long b) {
    try {
      return (int) handle(call).invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, long b, int c) {
    try {
      return (int) handle(call).invokeExact(a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int call(CudaCall call, long a, long b, long c, long d) {
    try {
      return (int) handle(call).invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Returns what the driver calls an error, and what it says about it. */
  String describe(int code) {
    return text(CudaCall.ERROR_NAME, code) + ", " + text(CudaCall.ERROR_TEXT, code);
  }

  private String text(CudaCall call, int code) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      if (call(call, code, out.address()) != CudaCode.SUCCESS) {
        return "unknown";
      }
      long address = out.get(ValueLayout.JAVA_LONG, 0);
      return address == 0
          ? "unknown"
          : MemorySegment.ofAddress(address).reinterpret(MAX_TEXT).getString(0);
    }
  }

  private MethodHandle handle(CudaCall call) {
    MethodHandle handle = handles.get(call);
    if (handle == null) {
      throw new AssertionError(call);
    }
    return handle;
  }

  private static AssertionError unexpected(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return new AssertionError(thrown);
  }
}
