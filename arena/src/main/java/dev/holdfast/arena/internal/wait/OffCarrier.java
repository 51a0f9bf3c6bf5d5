package dev.holdfast.arena.internal.wait;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * Makes native calls that may wait. A virtual thread has a platform thread make them and parks
 * meanwhile, since its carrier would wait in the call with it; a platform thread makes them itself.
 * Where the system refuses the thread that is needed, nothing is called and the JVM's {@link
 * OutOfMemoryError} says so.
 */
public final class OffCarrier {
  private static final Executor WAITERS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("holdfast-waiter-", 0).factory());

  private OffCarrier() {}

  /**
   * Makes a call and returns what it returns, or throws what it throws. An interrupt does not end
   * the wait, because the call goes on; the flag is set again afterwards.
   */
  public static <T> T call(Supplier<T> body) {
    if (!Thread.currentThread().isVirtual()) {
      return body.get();
    }
    return await(new FutureTask<>(body::get));
  }

  /** Makes a call that returns nothing; see {@link #call}. */
  public static void run(Runnable body) {
    if (Thread.currentThread().isVirtual()) {
      var _ = await(new FutureTask<>(body, true));
    } else {
      body.run();
    }
  }

  private static <T> T await(FutureTask<T> task) {
    WAITERS.execute(task);
    return resultOf(task);
  }

  private static <T> T resultOf(FutureTask<T> task) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException("a native call failed", e);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
