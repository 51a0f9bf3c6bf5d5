package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
