package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A worker that is faster than its consumer, and one that is slower. R2 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class SlowConsumerTest {

  private static SubprocessIterable<Map<String, Object>> start(int units, Duration acquireTimeout) {
    return Subprocess.iterate(
        Feeds.stamped(units),
        SubprocessOptions.builder().arena(Feeds.pool(2, acquireTimeout)).build());
  }

  @Test
  void slowConsumerGetsEveryUnitRight() {
    int units = Rounds.of(50);
    Duration pause = Duration.ofMillis(Rounds.whole() ? 300 : 50);
    try (SubprocessIterable<Map<String, Object>> items = start(units, Feeds.LONG)) {
      int expected = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          Deadlines.pause(pause);
          Feeds.verify(lease.item(), 0, expected++);
        }
      }
      assertEquals(units, expected);
      assertEquals(0, items.stats().failures());
    }
  }

  @Test
  void workerThatWaitsForSpaceUsesUnderTwoPercentOfACoreAndGoesOnAtOnce() {
    try (SubprocessIterable<Map<String, Object>> items = start(100, Feeds.LONG)) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      Lease<Map<String, Object>> first = leases.next();
      Lease<Map<String, Object>> second = leases.next();
      assertQuiet(items.pid());
      List<Duration> wakes = new ArrayList<>();
      for (int unit = 2; unit < 12; unit++) {
        Deadlines.pause(Duration.ofMillis(50));
        long start = System.nanoTime();
        first.close();
        Lease<Map<String, Object>> next = leases.next();
        wakes.add(Duration.ofNanos(System.nanoTime() - start));
        Feeds.verify(next.item(), 0, unit);
        first = second;
        second = next;
      }
      first.close();
      second.close();
      wakes.sort(null);
      assertTrue(wakes.getFirst().toMillis() < 50, wakes::toString);
    }
  }

  @Test
  void consumerThatWaitsForAnItemUsesUnderTwoPercentOfACore() throws Exception {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(
            Feeds.counting(
                1,
                index -> {
                  Deadlines.pause(Duration.ofHours(1));
                  return index;
                }))) {
      Iterator<Integer> iterator = items.iterator();
      FutureTask<Boolean> waiting = Deadlines.start("consumer", iterator::hasNext);
      assertQuiet(ProcessHandle.current().pid());
      assertQuiet(items.pid());
      Feeds.close(items);
      assertTrue(Deadlines.result(waiting));
    }
  }

  /** In one of three windows of five seconds, since other processes of the machine disturb. */
  private static void assertQuiet(long pid) {
    Deadlines.pause(Duration.ofMillis(500));
    List<Duration> windows = new ArrayList<>();
    boolean quiet = false;
    while (!quiet && windows.size() < 3) {
      Duration before = ProcSelf.cpuTime(pid);
      Deadlines.pause(Duration.ofSeconds(5));
      windows.add(ProcSelf.cpuTime(pid).minus(before));
      quiet = windows.getLast().toMillis() <= 100;
    }
    assertTrue(quiet, () -> "processor time in 5 s of waiting: " + windows);
  }

  @Test
  void limitOfZeroFailsAtOnceAndTheSameItemComesLater() {
    try (SubprocessIterable<Map<String, Object>> items = start(4, Duration.ZERO)) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      Lease<Map<String, Object>> first = leases.next();
      Lease<Map<String, Object>> second = leases.next();
      for (int i = 0; i < 5; i++) {
        long start = System.nanoTime();
        AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < 5_000, () -> "took " + millis + " ms");
        assertEquals(2L, full.facts().get("held"));
      }
      first.close();
      second.close();
      for (int unit = 2; unit < 4; unit++) {
        try (Lease<Map<String, Object>> lease = leases.next()) {
          Feeds.verify(lease.item(), 0, unit);
        }
      }
      assertFalse(leases.hasNext());
    }
  }

  @Test
  void limitOf200MillisecondsIsKept() {
    try (SubprocessIterable<Map<String, Object>> items = start(3, Duration.ofMillis(200))) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      Lease<Map<String, Object>> first = leases.next();
      Lease<Map<String, Object>> second = leases.next();
      List<Long> waits = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        long start = System.nanoTime();
        AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
        waits.add((System.nanoTime() - start) / 1_000_000);
        assertTrue((Long) full.facts().get("waitedMillis") >= 200, full.getMessage());
      }
      waits.sort(null);
      assertTrue(waits.getFirst() < 400 && waits.getLast() < 20_000, waits::toString);
      first.close();
      second.close();
      try (Lease<Map<String, Object>> third = leases.next()) {
        Feeds.verify(third.item(), 0, 2);
      }
    }
  }

  @Test
  void limitsOfAgesNeitherOverflowNorExpire() throws Exception {
    Duration ages = Duration.ofDays(300 * 365);
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(Feeds.pool(1, ages))
            .timeout(ages)
            .startTimeout(Duration.ofSeconds(Long.MAX_VALUE))
            .build();
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(2), options)) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases(ViewScope.SHARED).iterator();
      Lease<Map<String, Object>> first = leases.next();
      FutureTask<Lease<Map<String, Object>>> waiting = Deadlines.start("consumer", leases::next);
      Deadlines.pause(Duration.ofMillis(400));
      assertFalse(waiting.isDone());
      first.close();
      try (Lease<Map<String, Object>> second = Deadlines.result(waiting)) {
        Feeds.verify(second.item(), 0, 1);
      }
    }
  }

  @Test
  void negativeLimitsAndLimitsOfZeroWhereTheyMeanNothingAreRefused() {
    Duration negative = Duration.ofMillis(-1);
    var pool = SharedMemorySegmentPool.builder(1, 1);
    assertThrows(IllegalArgumentException.class, () -> pool.acquireTimeout(negative));
    var options = SubprocessOptions.builder();
    assertThrows(IllegalArgumentException.class, () -> options.timeout(negative));
    assertThrows(IllegalArgumentException.class, () -> options.timeout(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> options.startTimeout(negative));
    assertThrows(IllegalArgumentException.class, () -> options.startTimeout(Duration.ZERO));
  }
}
