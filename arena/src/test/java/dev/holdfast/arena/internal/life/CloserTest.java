package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

final class CloserTest {
  private final List<String> order = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch ended = new CountDownLatch(3);

  /** Fails as it is told at its first try and ends at the second. */
  private final class Trial extends Closer.Task {
    private final String name;
    private final Runnable atFirst;
    private boolean tried;

    Trial(String name, Runnable atFirst) {
      this.name = name;
      this.atFirst = atFirst;
    }

    @Override
    protected boolean run() {
      order.add(name);
      if (!tried) {
        tried = true;
        atFirst.run();
        return false;
      }
      ended.countDown();
      return true;
    }
  }

  /** Keeps the closer until all others are there. */
  private static final class Gate extends Closer.Task {
    private final CountDownLatch opens;

    Gate(CountDownLatch opens) {
      this.opens = opens;
    }

    @Override
    protected boolean run() {
      try {
        return opens.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException("nobody interrupts the closer", e);
      }
    }
  }

  /** Is refused until it is let go. */
  private static final class Refused extends Closer.Task {
    private final long reportAfterNanos;
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger tries = new AtomicInteger();

    Refused(long reportAfterNanos) {
      this.reportAfterNanos = reportAfterNanos;
    }

    @Override
    long reportAfterNanos() {
      return reportAfterNanos;
    }

    @Override
    protected boolean run() {
      tries.incrementAndGet();
      if (released.getCount() > 0) {
        return false;
      }
      ended.countDown();
      return true;
    }

    void awaitTries(int more) throws InterruptedException {
      int enough = tries.get() + more;
      for (int i = 0; i < 6000 && tries.get() < enough; i++) {
        Thread.sleep(10);
      }
      assertTrue(tries.get() >= enough, "tried " + tries + " times");
    }

    void letGo() throws InterruptedException {
      released.countDown();
      assertTrue(ended.await(60, TimeUnit.SECONDS), "it is not tried any more");
    }
  }

  /** Keeps what is logged of refused tasks; other tests' leases may be reported meanwhile. */
  private static final class Kept extends Handler {
    private final List<String> records = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void publish(LogRecord record) {
      if (record.getMessage().startsWith("a scope cannot be ended")) {
        records.add(record.getLevel() + " " + record.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void taskThatIsRefusedForLongIsReportedOnceAndTriedOn() throws InterruptedException {
    Logger logger = Logger.getLogger("dev.holdfast.arena");
    Kept kept = new Kept();
    logger.addHandler(kept);
    Refused late = new Refused(TimeUnit.MILLISECONDS.toNanos(200));
    Refused other = new Refused(Long.MAX_VALUE);
    try {
      Closer.start();
      Closer.submit(late);
      Closer.submit(other);
      for (int i = 0; i < 6000 && kept.records.isEmpty(); i++) {
        Thread.sleep(10);
      }
      late.awaitTries(5);
      other.awaitTries(1);
    } finally {
      late.letGo();
      other.letGo();
      logger.removeHandler(kept);
    }
    assertEquals(
        List.of(
            "WARNING a scope cannot be ended for 10 seconds, because a native call or a channel"
                + " operation uses it"),
        kept.records);
    assertEquals(
        TimeUnit.SECONDS.toNanos(10), new Trial("as all are", () -> {}).reportAfterNanos());
  }

  @Test
  void taskThatIsRefusedOrFindsNoHeapIsTriedAgainAndDelaysNoOther() throws InterruptedException {
    CountDownLatch submitted = new CountDownLatch(1);
    Closer.start();
    Closer.submit(new Gate(submitted));
    Closer.submit(
        new Trial(
            "no heap",
            () -> {
              throw new OutOfMemoryError("of a test");
            }));
    Closer.submit(new Trial("refused", () -> {}));
    Closer.submit(new Trial("refused too", () -> {}));
    submitted.countDown();
    assertTrue(ended.await(60, TimeUnit.SECONDS), order::toString);
    assertEquals(List.of("no heap", "refused", "refused too"), order.subList(0, 3));
  }
}
