package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Closing while others read. */
@ExtendWith(Leftovers.class)
final class CloseRaceTest {
  private static final int READERS = 8;

  // R12
  @Test
  void readersOfASharedLeaseEndWithIllegalStateOnlyAndNobodyReadsAfterwards() throws Exception {
    int rounds = Rounds.of(1000);
    Random random = new Random(Seeds.next());
    try (Rig rig = Pools.rig(4096, 3)) {
      for (int round = 0; round < rounds; round++) {
        Opened opened = rig.admitAndOpen(rig.write(4096), ViewScope.SHARED);
        AtomicInteger started = new AtomicInteger();
        AtomicInteger reading = new AtomicInteger(READERS);
        List<FutureTask<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
          Alias.Kind kind = Alias.KINDS.get((round + i) % Alias.KINDS.size());
          readers.add(
              Deadlines.start(
                  "reader",
                  () -> {
                    started.incrementAndGet();
                    read(opened, kind);
                    reading.decrementAndGet();
                    return null;
                  }));
        }
        Deadlines.assertEventually("all read", () -> started.get() == READERS);
        LockSupport.parkNanos(random.nextInt(2_000_000));
        FutureTask<Boolean> other =
            Deadlines.start("closer", () -> opened.lease().close(Duration.ofSeconds(60)));
        assertTrue(opened.lease().close(Duration.ofSeconds(60)));
        assertTrue(Deadlines.result(other));
        for (FutureTask<Void> reader : readers) {
          Deadlines.result(reader);
        }
        assertEquals(0, reading.get());
        assertEquals(round + 1, rig.reclaimed());
      }
    }
  }

  /**
   * Reads with one kind of alias until the views have ended; every read must give the right bytes.
   */
  private static void read(Opened opened, Alias.Kind kind) {
    try {
      while (true) {
        Object alias = kind.make().apply(opened.view());
        assertEquals(kind.expected(opened.sent().stamp(), 0), kind.read().applyAsLong(alias));
        Stamps.verify(opened.view(), opened.sent().stamp(), 0);
      }
    } catch (IllegalStateException ended) {
      assertEquals(false, opened.view().scope().isAlive());
    }
  }

  // R12
  @Test
  void closingTheArenaEndsNoView() throws Exception {
    int rounds = Rounds.of(200);
    Random random = new Random(Seeds.next());
    for (int round = 0; round < rounds; round++) {
      Rig rig = Pools.rig(4096, 3);
      Opened opened = rig.admitAndOpen(rig.write(4096), ViewScope.SHARED);
      AtomicInteger passes = new AtomicInteger();
      List<FutureTask<Void>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        readers.add(
            Deadlines.start(
                "reader",
                () -> {
                  for (int k = 0; k < 50; k++) {
                    opened.verify();
                    passes.incrementAndGet();
                  }
                  return null;
                }));
      }
      LockSupport.parkNanos(random.nextInt(500_000));
      FutureTask<Void> other =
          Deadlines.start(
              "closer",
              () -> {
                rig.arena.close();
                return null;
              });
      rig.close();
      Deadlines.result(other);
      for (FutureTask<Void> reader : readers) {
        Deadlines.result(reader);
      }
      assertEquals(150, passes.get());
      MemorySegment view = opened.view();
      Stamps.verify(view, 0, 0);
      opened.close();
    }
  }
}
