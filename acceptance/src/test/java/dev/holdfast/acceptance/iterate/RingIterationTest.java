package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Workers whose items come through a ring. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class RingIterationTest {
  /** No multiple of anything, so that every later unit lies elsewhere. */
  private static final int CAPACITY = 3 * Feeds.PAYLOAD_BYTES + 17;

  private static SubprocessIterable<Map<String, Object>> stamped(int count) {
    return Subprocess.iterate(
        Feeds.stamped(count),
        Feeds.options(false)
            .arena(SharedMemoryRingBuffer.builder(CAPACITY).acquireTimeout(Feeds.LONG).build())
            .build());
  }

  private static ArenaStats stats(SubprocessIterable<?> items) {
    return items.arena().orElseThrow().stats();
  }

  @Test
  void hundredKeptItemsOfARingForThreeStayRightAfterTheWorkersEnd() {
    List<Lease<Map<String, Object>>> kept = new ArrayList<>();
    try (SubprocessIterable<Map<String, Object>> items = stamped(100)) {
      items.leases(ViewScope.SHARED).forEach(kept::add);
      assertEquals(100, stats(items).reclaimed());
    }
    for (int i = 0; i < 100; i++) {
      Feeds.verify(kept.get(i).item(), 0, i);
    }
    kept.forEach(Lease::close);
  }

  // R2
  @Test
  void plainItemsThatNobodyClosesNeverHoldTheRing() {
    int count = Rounds.of(20_000);
    try (SubprocessIterable<Map<String, Object>> items = stamped(count)) {
      int unit = 0;
      for (Map<String, Object> item : items) {
        Feeds.verify(item, 0, unit++);
      }
      assertEquals(count, unit);
      assertEquals(count, stats(items).reclaimed());
    }
  }

  // B138: units that were never admitted are discarded at the boundary, with their bytes.
  @Test
  void passesThatAreLeftEarlyGiveAllOfTheRingBack() {
    Random random = new Random(Seeds.next());
    int passes = Rounds.of(500);
    try (SubprocessIterable<Map<String, Object>> items = stamped(12)) {
      for (int pass = 0; pass < passes; pass++) {
        int wanted = 1 + random.nextInt(12);
        List<Parcel<Map<String, Object>>> unopened = new ArrayList<>();
        Iterator<Parcel<Map<String, Object>>> parcels = items.parcels().iterator();
        for (int unit = 0; unit < wanted; unit++) {
          Parcel<Map<String, Object>> parcel = parcels.next();
          if (unopened.isEmpty() && random.nextInt(4) == 0) {
            unopened.add(parcel); // the ring has room for two more until it is discarded
          } else {
            try (Lease<Map<String, Object>> lease = parcel.open(ViewScope.CONFINED)) {
              Feeds.verify(lease.item(), pass, unit);
            }
            unopened.forEach(Parcel::discard);
            unopened.clear();
          }
        }
        if (random.nextInt(8) == 0) {
          Deadlines.pause(Duration.ofMillis(10)); // the worker waits for space
        }
        unopened.forEach(Parcel::discard);
      }
      int unit = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          Feeds.verify(lease.item(), passes, unit++);
        }
      }
      assertEquals(12, unit);
      assertEquals(stats(items).published(), stats(items).reclaimed());
    }
  }

  @Test
  void arraysComeStraightFromTheRingAndBuffersThroughOneCopyThatIsUsedAgain() {
    try (SubprocessIterable<byte[]> items =
        Subprocess.iterate(
            Feeds.counting(200, RingIterationTest::stampedArray),
            Feeds.options(false).arena(new SharedMemoryRingBuffer(200 * 5000)).build())) {
      int unit = 0;
      for (Lease<byte[]> lease : items.leases()) {
        try (lease) {
          assertArrayEquals(stampedArray(unit++), lease.item());
        }
      }
      assertEquals(200, unit);
      assertEquals(0, stats(items).freshBytes(), "arrays that do not pass the end need no copy");
    }
    try (SubprocessIterable<Map<String, Object>> items = stamped(200)) {
      long afterTen = 0;
      int unit = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          Feeds.verify(lease.item(), 0, unit++);
        }
        afterTen = unit == 10 ? stats(items).freshBytes() : afterTen;
      }
      assertTrue(afterTen > 0);
      assertEquals(afterTen, stats(items).freshBytes());
      assertTrue(stats(items).recycledBytes() >= 190L * Feeds.PAYLOAD_BYTES);
    }
  }

  private static byte[] stampedArray(int unit) {
    MemorySegment payload = Stamps.payload(5000, unit, 0);
    return payload.toArray(ValueLayout.JAVA_BYTE);
  }
}
