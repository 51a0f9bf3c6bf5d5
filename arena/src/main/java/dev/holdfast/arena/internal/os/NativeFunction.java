package dev.holdfast.arena.internal.os;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A function of the C library that is bound by its first call. Binding costs milliseconds for each
 * new signature, which a worker would pay at its start for functions that it never calls. What
 * gives something back is bound with what takes it, by {@link #bind}, since it has to work when
 * nothing else does. A holder class with a constant would be of no use any more once its first
 * binding had failed.
 */
final class NativeFunction {
  private final Supplier<MethodHandle> binding;
  private volatile @Nullable MethodHandle bound;

  private NativeFunction(Supplier<MethodHandle> binding) {
    this.binding = binding;
  }

  /** Names a function with fixed arguments. */
  static NativeFunction of(String name, FunctionDescriptor type) {
    return new NativeFunction(() -> Natives.bind(name, type));
  }

  /** Names a function whose arguments from {@code firstVariadic} on are variadic. */
  static NativeFunction variadic(String name, FunctionDescriptor type, int firstVariadic) {
    return new NativeFunction(() -> Natives.bindVariadic(name, type, firstVariadic));
  }

  /**
   * Names a function that takes memory of the heap too, captures no errno, and keeps a safepoint
   * waiting until it returns.
   */
  static NativeFunction critical(String name, FunctionDescriptor type) {
    return new NativeFunction(() -> Natives.bindCritical(name, type));
  }

  /** Binds it now. */
  void bind() {
    var _ = handle();
  }

  /** Returns the handle; threads that come first together bind the same function. */
  MethodHandle handle() {
    MethodHandle handle = bound;
    if (handle == null) {
      handle = binding.get();
      bound = handle;
    }
    return handle;
  }
}
