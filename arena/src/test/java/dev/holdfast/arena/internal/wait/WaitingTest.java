package dev.holdfast.arena.internal.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.memory.WaitWord;
import dev.holdfast.testkit.Deadlines;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class WaitingTest {
  private static final long SIGNAL = 0;
  private static final long WAITING = 128;

  private final SharedWords words = new SegmentWords(Arena.ofAuto().allocate(256, 128));
  private final WaitWord waiting = new WaitWord(words, WAITING, SIGNAL);
  private volatile boolean ready;

  private final SpinBudget spins = new SpinBudget();
  private final WaitPoint point =
      new WaitPoint() {
        @Override
        public boolean ready() {
          return ready;
        }

        @Override
        public SpinBudget spins() {
          return spins;
        }

        @Override
        public void announce(int wait) {
          waiting.announce(wait);
        }

        @Override
        public SharedWords words() {
          return words;
        }

        @Override
        public long signalOffset() {
          return SIGNAL;
        }

        @Override
        public boolean retain() {
          return true;
        }

        @Override
        public void release() {}
      };

  private void signal() {
    ready = true;
    waiting.signal();
  }

  @Test
  void signalWakesTheWaiterLongBeforeItsSliceEnds() throws Exception {
    for (int round = 0; round < 50; round++) {
      ready = false;
      FutureTask<Boolean> waiter =
          Deadlines.start("waiter", () -> Waiting.await(point, Long.MAX_VALUE, () -> {}));
      Deadlines.assertEventually("announced", waiting::isAnnounced);
      signal();
      assertTrue(Deadlines.result(waiter));
    }
  }

  @Test
  void waiterThatLooksInVainLooksLessOftenUntilLookingPaysAgain() {
    long hopeful = spins.nanos();
    for (int wait = 0; wait < 20; wait++) {
      assertFalse(spins.pays(point, System.nanoTime()));
    }
    long resigned = spins.nanos();
    assertTrue(resigned <= 200, () -> "looks for " + resigned + " ns");
    for (int wait = 0; wait < 20; wait++) {
      spins.slept(Duration.ofSeconds(1).toNanos());
    }
    assertEquals(resigned, spins.nanos(), "long waits say nothing");
    for (int wait = 0; wait < 2000; wait++) {
      spins.slept(hopeful / 2);
    }
    assertEquals(hopeful / 2, spins.nanos(), "short ones say how long to look");
    ready = true;
    assertTrue(hopeful == 0 || spins.pays(point, System.nanoTime()));
  }

  @Test
  void limitEndsTheWait() {
    long start = System.nanoTime();
    assertFalse(Waiting.await(point, 50_000_000L, () -> {}));
    assertTrue(System.nanoTime() - start >= 50_000_000L);
    assertFalse(waiting.isAnnounced());
  }

  @Test
  void interruptEndsTheWaitAndStaysSet() {
    Thread.currentThread().interrupt();
    assertThrows(
        HoldfastInterruptedException.class, () -> Waiting.await(point, Long.MAX_VALUE, () -> {}));
    assertTrue(Thread.interrupted());
  }

  @Test
  void checkRunsAgainAndAgainAndWhatItThrowsEndsTheWait() {
    AtomicInteger looks = new AtomicInteger();
    assertThrows(
        ArithmeticException.class,
        () ->
            Waiting.await(
                point,
                Long.MAX_VALUE,
                () -> {
                  if (looks.incrementAndGet() == 3) {
                    throw new ArithmeticException();
                  }
                }));
  }

  @Test
  void virtualThreadWaitsWithoutItsCarrier() throws Exception {
    FutureTask<Boolean> waiter =
        new FutureTask<>(() -> Waiting.await(point, Long.MAX_VALUE, () -> {}));
    Thread virtual = Thread.ofVirtual().start(waiter);
    Deadlines.assertEventually("announced", waiting::isAnnounced);
    signal();
    assertTrue(Deadlines.result(waiter));
    virtual.join();
  }

  @Test
  void interruptedVirtualThreadLeavesTheWait() throws Exception {
    FutureTask<Boolean> waiter =
        new FutureTask<>(() -> Waiting.await(point, Long.MAX_VALUE, () -> {}));
    Thread virtual = Thread.ofVirtual().start(waiter);
    Deadlines.assertEventually("announced", waiting::isAnnounced);
    virtual.interrupt();
    assertThrows(HoldfastInterruptedException.class, () -> Deadlines.result(waiter));
    virtual.join();
  }
}
