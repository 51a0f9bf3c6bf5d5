package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogsTest {
  private static final String NAME = "dev.holdfast.arena";

  /** A handler of the user's that fails. */
  private static final class Failing extends Handler {
    private final AtomicInteger records = new AtomicInteger();

    @Override
    public void publish(LogRecord record) {
      records.incrementAndGet();
      throw new AssertionError("not logged");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static int withFailingHandler(Runnable body) {
    java.util.logging.Logger target = java.util.logging.Logger.getLogger(NAME);
    Failing failing = new Failing();
    target.addHandler(failing);
    try {
      body.run();
    } finally {
      target.removeHandler(failing);
    }
    return failing.records.get();
  }

  @Test
  void aHandlerThatThrowsIsNotHeardOf() {
    Logger log = Logs.of(NAME);
    int records =
        withFailingHandler(
            () -> {
              log.log(Logger.Level.WARNING, "a text");
              log.log(Logger.Level.WARNING, "a text with {0}", "a parameter");
              log.log(Logger.Level.WARNING, "a text", new IllegalStateException());
              log.log(Logger.Level.WARNING, () -> "a text");
            });
    assertEquals(4, records);
    assertTrue(log.isLoggable(Logger.Level.WARNING));
    assertEquals(NAME, log.getName());
  }

  /** A task that fails is logged by the closer's thread, which has others to do. */
  @Test
  void theThreadsThatLogLiveOn() {
    CountDownLatch done = new CountDownLatch(1);
    int records =
        withFailingHandler(
            () -> {
              Closer.submit(
                  new Closer.Task() {
                    @Override
                    protected boolean run() {
                      throw new IllegalStateException("a task that fails");
                    }
                  });
              Closer.submit(
                  new Closer.Task() {
                    @Override
                    protected boolean run() {
                      done.countDown();
                      return true;
                    }
                  });
              await(done);
            });
    assertTrue(records >= 1);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS), "the closer works no more");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
