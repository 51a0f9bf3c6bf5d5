package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.holdfast.arena.internal.fault.FaultPoint;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Binds functions of the C library. Handles take the segment that captures errno as their first
 * argument.
 */
@SuppressWarnings("restricted") // this package is where Holdfast calls native code
final class Natives {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBC = LINKER.defaultLookup();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_FIELD =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Natives() {}

  /** Binds a function with fixed arguments. */
  static MethodHandle bind(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(address(name), type, ERRNO);
  }

  /** Binds a function whose arguments from {@code firstVariadic} on are variadic. */
  static MethodHandle bindVariadic(String name, FunctionDescriptor type, int firstVariadic) {
    return LINKER.downcallHandle(
        address(name), type, ERRNO, Linker.Option.firstVariadicArg(firstVariadic));
  }

  /** Binds a function without errno that memory of the heap can be given to. */
  static MethodHandle bindCritical(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(address(name), type, Linker.Option.critical(true));
  }

  static int errno(MemorySegment state) {
    return (int) ERRNO_FIELD.get(state, 0L);
  }

  /**
   * Room for errno, per call: a confined arena costs some tens of nanoseconds, the calls
   * microseconds.
   */
  static MemorySegment callState(Arena arena) {
    if (FaultPoint.ENABLED) {
      FaultPoint.NATIVE_CALL.reach();
    }
    return arena.allocate(CALL_STATE);
  }

  static FunctionDescriptor returnsInt(MemoryLayout... arguments) {
    return FunctionDescriptor.of(JAVA_INT, arguments);
  }

  static FunctionDescriptor returnsLong(MemoryLayout... arguments) {
    return FunctionDescriptor.of(JAVA_LONG, arguments);
  }

  static FunctionDescriptor returnsAddress(MemoryLayout... arguments) {
    return FunctionDescriptor.of(ADDRESS, arguments);
  }

  private static MemorySegment address(String name) {
    return LIBC.find(name)
        .orElseThrow(
            () -> new UnsupportedOperationException("the C library has no function " + name));
  }

  /** Wraps what a handle throws; none of ours throws anything but errors of the JVM. */
  static AssertionError unexpected(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    return new AssertionError(thrown);
  }
}
