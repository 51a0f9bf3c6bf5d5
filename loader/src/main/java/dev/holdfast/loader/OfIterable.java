package dev.holdfast.loader;

import org.jspecify.annotations.Nullable;

/** See {@link WorkerSource#of}. */
@SuppressWarnings("serial") // whether the iterable can cross is checked when it does
record OfIterable<T extends @Nullable Object>(Iterable<T> iterable) implements WorkerSource<T> {

  @Override
  public Iterable<T> open(WorkerContext context) {
    return iterable;
  }
}
