package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Views that are kept from one pass to the next. R1 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class RepeatedPassesTest {
  private static final int SEGMENT = 64 << 10;
  private static final int SEGMENTS = 12;
  private static final int KEPT = 6;

  /** What a worker may have sent, or be sending, when a pass is left: more than it may be ahead. */
  private static final int LEFT_BEHIND = 4;

  /** A lease that is kept keeps what was left behind it, and each may be the last of its pass. */
  private static final int SEGMENTS_FOR_LEFT_PASSES = KEPT + (KEPT + 1) * LEFT_BEHIND;

  private static final int ROUNDS = 6;
  private static final List<Integer> LENGTHS = List.of(8, 12, 13, 14, 15, 16, 17, 18, 25);

  private static SubprocessOptions options(int segments) {
    return SubprocessOptions.builder()
        .jvmArgs(ChildJvm.SHORT_LIVED)
        .arena(
            SharedMemorySegmentPool.builder(SEGMENT, segments).acquireTimeout(Feeds.LONG).build())
        .build();
  }

  private static int lengthOfPass(int pass) {
    return LENGTHS.get(pass / ROUNDS % LENGTHS.size());
  }

  /** Fewer lengths where each pass costs collections. */
  private static int fewerLengths(int pass) {
    return lengthOfPass(pass / ROUNDS * 2 * ROUNDS);
  }

  private record Kept<T>(T held, int pass, int unit) {}

  @Test
  void viewsOfTheLastPassKeepTheirBytesInTheMiddleOfTheNextOne() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Feeds.stamped(RepeatedPassesTest::fewerLengths, SEGMENT), options(SEGMENTS))) {
      List<Kept<Map<String, Object>>> last = new ArrayList<>();
      int checked = 0;
      int all = 0;
      for (int pass = 0; pass < 5 * ROUNDS; pass++) {
        Deque<Kept<Map<String, Object>>> newest = new ArrayDeque<>();
        int unit = 0;
        for (Map<String, Object> item : items) {
          newest.add(new Kept<>(item, pass, unit));
          if (newest.size() > KEPT) {
            Kept<Map<String, Object>> older = newest.remove();
            Feeds.verify(older.held(), older.pass(), older.unit());
            checked++;
          }
          if (unit == 3) {
            Deadlines.pause(Duration.ofMillis(5));
            last.forEach(kept -> Feeds.verify(kept.held(), kept.pass(), kept.unit()));
            checked += last.size();
            last.clear();
          }
          unit++;
        }
        assertEquals(fewerLengths(pass), unit);
        all += unit;
        last.addAll(newest);
      }
      last.forEach(kept -> Feeds.verify(kept.held(), kept.pass(), kept.unit()));
      assertEquals(all, checked + last.size());
    }
  }

  @Test
  void leasesOfTheLastPassKeepTheirBytesUntilTheyAreClosed() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Feeds.stamped(RepeatedPassesTest::lengthOfPass, SEGMENT), options(SEGMENTS))) {
      Deque<Kept<Lease<Map<String, Object>>>> held = new ArrayDeque<>();
      long all = 0;
      for (int pass = 0; pass < LENGTHS.size() * ROUNDS; pass++) {
        int unit = 0;
        for (Lease<Map<String, Object>> lease : items.leases()) {
          held.add(new Kept<>(lease, pass, unit++));
          if (held.size() > KEPT) {
            close(held.remove());
          }
          all++;
        }
      }
      while (!held.isEmpty()) {
        close(held.remove());
      }
      assertEquals(all, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  private static void close(Kept<Lease<Map<String, Object>>> kept) {
    try (Lease<Map<String, Object>> lease = kept.held()) {
      Feeds.verify(lease.item(), kept.pass(), kept.unit());
    }
  }

  @Test
  void passesLeftEarlyGiveBackWhatNobodyTook() {
    Random random = new Random(Seeds.next());
    int rounds = Rounds.of(300);
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Feeds.stamped(RepeatedPassesTest::lengthOfPass, SEGMENT),
            options(SEGMENTS_FOR_LEFT_PASSES))) {
      Deque<Kept<Lease<Map<String, Object>>>> held = new ArrayDeque<>();
      for (int pass = 0; pass < rounds; pass++) {
        int wanted = 1 + random.nextInt(lengthOfPass(pass) + 2);
        int unit = 0;
        for (Lease<Map<String, Object>> lease : items.leases()) {
          held.add(new Kept<>(lease, pass, unit++));
          if (held.size() > KEPT) {
            close(held.remove());
          }
          if (unit == wanted) {
            break;
          }
        }
        assertEquals(Math.min(wanted, lengthOfPass(pass)), unit);
      }
      while (!held.isEmpty()) {
        close(held.remove());
      }
    }
  }
}
