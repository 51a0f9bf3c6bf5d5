package dev.holdfast.arena.internal.wait;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Makes native calls that may wait. A virtual thread has a platform thread make them and parks
 * meanwhile, since its carrier would wait in the call with it; a platform thread makes them itself.
 * Where the system refuses the thread that is needed, nothing is called and the JVM's {@link
 * OutOfMemoryError} says so.
 */
public final class OffCarrier {
  /** How often it is looked whether a call has begun: often, since a process may stand still. */
  private static final long LOOK_SECONDS = 5;

  private static final int LOOKS_AT_MOST = 4;

  private static final Executor WAITERS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("holdfast-waiter-", 0).factory());

  private OffCarrier() {}

  /**
   * Makes a call and returns what it returns, or throws what it throws. Neither an interrupt nor a
   * lack of heap ends the wait, because the call goes on; the flag is set again afterwards.
   */
  public static <T> T call(Supplier<T> body) {
    if (!Thread.currentThread().isVirtual()) {
      return body.get();
    }
    return await(body);
  }

  /** Makes a call that returns nothing; see {@link #call}. */
  public static void run(Runnable body) {
    if (Thread.currentThread().isVirtual()) {
      var _ =
          await(
              () -> {
                body.run();
                return true;
              });
    } else {
      body.run();
    }
  }

  private static <T> T await(Supplier<T> body) {
    Call<T> call = new Call<>(body);
    FutureTask<T> task = new FutureTask<>(call);
    WAITERS.execute(task);
    return resultOf(task, call);
  }

  /** Begins once, unless it was given up before. */
  private static final class Call<T> implements Callable<T> {
    private static final int WAITS = 0;
    private static final int BEGUN = 1;
    private static final int GIVEN_UP = 2;

    private final Supplier<T> body;
    private final AtomicInteger state = new AtomicInteger(WAITS);

    Call(Supplier<T> body) {
      this.body = body;
    }

    @Override
    public T call() {
      if (!state.compareAndSet(WAITS, BEGUN)) {
        throw new IllegalStateException("nobody waits for this call any more");
      }
      return body.get();
    }

    /** Returns whether it has not begun, and never will. */
    boolean giveUp() {
      return state.compareAndSet(WAITS, GIVEN_UP);
    }
  }

  /** A call that has begun is waited for whatever happens, since it uses what its caller has. */
  private static <T> T resultOf(FutureTask<T> task, Call<T> call) {
    boolean interrupted = false;
    int looks = 0;
    try {
      while (true) {
        try {
          return task.get(LOOK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          looks++;
          if (looks >= LOOKS_AT_MOST && call.giveUp()) { // a thread without heap ends with its call
            throw new OutOfMemoryError("the thread for a native call has not begun with it");
          }
        } catch (OutOfMemoryError e) {
          if (call.giveUp()) {
            throw e;
          }
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
