package dev.holdfast.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;

/**
 * Waits that fail the test when their time is over. The limits are meant for a slow, busy machine:
 * a test that works never comes near them.
 */
public final class Deadlines {
  /** The limit of everything that should take a moment. */
  public static final Duration GENEROUS = Duration.ofSeconds(60);

  private static final long STEP_MILLIS = 5;

  private Deadlines() {}

  /**
   * Waits until a condition holds, at most {@link #GENEROUS}.
   *
   * @param what the condition in words
   * @param condition is asked again and again
   */
  public static void assertEventually(String what, BooleanSupplier condition) {
    assertEventually(what, GENEROUS, condition);
  }

  /**
   * Waits until a condition holds.
   *
   * @param what the condition in words
   * @param limit when the test fails
   * @param condition is asked again and again
   */
  public static void assertEventually(String what, Duration limit, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        Assertions.fail("did not happen within " + limit + ": " + what);
      }
      pause(Duration.ofMillis(STEP_MILLIS));
    }
  }

  /**
   * Runs something on a daemon thread of its own and waits for its end.
   *
   * @param <T> its result
   * @param what what runs, in words
   * @param limit when the test fails, with the stack of the thread
   * @param body runs
   * @return its result
   * @throws Exception what the body threw
   */
  public static <T> T within(String what, Duration limit, Callable<T> body) throws Exception {
    FutureTask<T> task = new FutureTask<>(body);
    Thread thread = Thread.ofPlatform().daemon().name("test-" + what).start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      AssertionError late = new AssertionError("did not end within " + limit + ": " + what, e);
      late.setStackTrace(thread.getStackTrace());
      thread.interrupt();
      throw late;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case Exception failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    }
  }

  /**
   * Starts something on a daemon thread of its own.
   *
   * @param <T> its result
   * @param what what runs, in words
   * @param body runs
   * @return to be given to {@link #result}
   */
  public static <T> FutureTask<T> start(String what, Callable<T> body) {
    FutureTask<T> task = new FutureTask<>(body);
    Thread.ofPlatform().daemon().name("test-" + what).start(task);
    return task;
  }

  /**
   * Waits for the end of what was started.
   *
   * @param <T> its result
   * @param task as {@link #start} gave it
   * @return its result
   * @throws Exception what it threw
   */
  public static <T> T result(FutureTask<T> task) throws Exception {
    return within("result", GENEROUS, () -> unwrapped(task));
  }

  /**
   * Sleeps. An interrupt fails the test.
   *
   * @param time how long
   */
  public static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  /**
   * Waits for the end of what was started, without a limit.
   *
   * @param <T> its result
   * @param task as {@link #start} gave it
   * @return its result
   * @throws Exception what it threw
   */
  public static <T> T unwrapped(FutureTask<T> task) throws Exception {
    try {
      return task.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case Exception failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    }
  }
}
