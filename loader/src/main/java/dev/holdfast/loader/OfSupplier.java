package dev.holdfast.loader;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** See {@link WorkerSource#supplied}. */
@SuppressWarnings("serial") // whether the supplier can cross is checked when it does
record OfSupplier<T extends @Nullable Object>(Supplier<? extends Iterable<T>> supplier)
    implements WorkerSource<T> {

  @Override
  public Iterable<T> open(WorkerContext context) {
    return supplier.get();
  }
}
