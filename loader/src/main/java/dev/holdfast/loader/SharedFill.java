package dev.holdfast.loader;

import org.jspecify.annotations.Nullable;

/** See {@link WorkerSource#withSharedFill}. */
record SharedFill<T extends @Nullable Object>(WorkerSource<T> source) implements WorkerSource<T> {

  @Override
  public Iterable<T> open(WorkerContext context) throws Exception {
    return source.open(context);
  }

  @Override
  public boolean sharedFill() {
    return true;
  }
}
