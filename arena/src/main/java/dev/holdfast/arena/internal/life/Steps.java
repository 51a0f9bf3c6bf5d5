package dev.holdfast.arena.internal.life;

import org.jspecify.annotations.Nullable;

/**
 * Steps of which each is to run whether or not another one failed. The first failure is thrown at
 * the end, with the others attached. One thread's.
 */
public final class Steps {
  private @Nullable Throwable first;

  /** Makes a list without steps. */
  public Steps() {}

  /** Runs a step. */
  public void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Takes note of the failure of a step that ran elsewhere; null is none. */
  public void failed(@Nullable Throwable failure) {
    if (first == null) {
      first = failure;
    } else if (failure != null && !failure.equals(first)) {
      attach(first, failure);
    }
  }

  /** The next step matters more than what is told of this one. */
  private static void attach(Throwable first, Throwable failure) {
    try {
      first.addSuppressed(failure);
    } catch (OutOfMemoryError | StackOverflowError e) {
      Thread.onSpinWait();
    }
  }

  /** Returns whether every step so far has succeeded. */
  public boolean succeeded() {
    return first == null;
  }

  /** Throws what failed, if anything did. */
  public void end() {
    rethrow(first);
  }

  /** Throws a failure that was kept, unless it is null. Needs no heap for one that is unchecked. */
  static void rethrow(@Nullable Throwable failure) {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }
}
