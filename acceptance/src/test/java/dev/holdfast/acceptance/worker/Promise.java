package dev.holdfast.acceptance.worker;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;

/**
 * Time limits that the documents promise. A test fails when one is missed by more than {@link
 * #SLACK}, which is for machines that have more to do than cores; what was measured is printed.
 */
public final class Promise {
  /** From the death of a worker to the error. */
  public static final Duration DEATH_REPORTED = Duration.ofSeconds(2);

  /** From the death of a parent to the end of its worker. */
  public static final Duration ORPHAN_GONE = Duration.ofSeconds(5);

  /** From the beginning of a close to the end of the worker, whatever user code does. */
  public static final Duration CLOSED = Duration.ofSeconds(5);

  /** From the beginning of an exit to the end of the JVM. */
  public static final Duration EXITED = Duration.ofSeconds(3);

  /** From the beginning of a close to the end of the waits that it ends. */
  public static final Duration WAITER_OUT = Duration.ofSeconds(1);

  /** What a busy machine may add to any of them; {@code -Dholdfast.slack=PT0S} on a quiet one. */
  public static final Duration SLACK = Duration.parse(System.getProperty("holdfast.slack", "PT6S"));

  private Promise() {}

  /** Fails when what has just happened took longer than was promised. */
  public static void kept(String what, Duration promised, long sinceNanos) {
    took(what, promised, Duration.ofNanos(System.nanoTime() - sinceNanos));
  }

  /** Fails when something took longer than was promised. */
  public static void took(String what, Duration promised, Duration time) {
    System.out.println(what + ": " + time.toMillis() + " ms of " + promised.toMillis());
    Assertions.assertTrue(
        time.compareTo(promised.plus(SLACK)) <= 0,
        () -> what + " took " + time + ", promised are " + promised);
  }

  /** Waits for the end of a process and fails when it comes later than was promised. */
  public static void ends(String what, long pid, Duration promised, long sinceNanos) {
    long limit = promised.plus(SLACK).toNanos();
    while (Pids.isAlive(pid)) {
      if (System.nanoTime() - sinceNanos > limit) {
        Assertions.fail("still alive " + promised.plus(SLACK) + " later: " + what + ", pid " + pid);
      }
      Pids.pause();
    }
    kept("end of " + what, promised, sinceNanos);
  }
}
