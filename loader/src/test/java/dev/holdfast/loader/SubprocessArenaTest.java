package dev.holdfast.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One worker whose items lie in a segment pool. */
@ExtendWith(Leftovers.class)
class SubprocessArenaTest {

  private static SubprocessOptions pool(int count) {
    return SubprocessOptions.builder()
        .jvmArgs(ChildJvm.SHORT_LIVED)
        .arena(new SharedMemorySegmentPool(Sources.PAYLOAD_BYTES, count))
        .build();
  }

  private static SubprocessOptions impatientPool(int count) {
    return SubprocessOptions.builder()
        .jvmArgs(ChildJvm.SHORT_LIVED)
        .arena(
            SharedMemorySegmentPool.builder(Sources.PAYLOAD_BYTES, count)
                .acquireTimeout(Duration.ofMillis(300))
                .build())
        .build();
  }

  @Test
  void leasedItemsArriveAsViewsInOrder() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(500), pool(3))) {
      for (int pass = 0; pass < 3; pass++) {
        int expected = 0;
        for (Lease<Map<String, Object>> lease : items.leases()) {
          try (lease) {
            assertEquals(expected++, Sources.verified(lease.item()));
            assertTrue(lease.unit().isPresent());
          }
          ByteBuffer view = (ByteBuffer) lease.item().get("payload");
          assertThrows(IllegalStateException.class, () -> view.get(0));
        }
        assertEquals(500, expected);
      }
      assertEquals(1500, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  @Test
  void plainItemsKeepTheirBytesWhileTheyAreReachable() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(300), pool(8))) {
      Deque<Map<String, Object>> kept = new ArrayDeque<>();
      int expected = 0;
      for (Map<String, Object> item : items) {
        kept.add(item);
        if (kept.size() > 3) {
          assertEquals(expected++, Sources.verified(kept.remove()));
        }
      }
      assertEquals(297, expected);
    }
  }

  @Test
  void parcelsOpenOnOtherThreadsInAnyOrderAndOnce() throws Exception {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(100), pool(4))) {
      Iterator<Parcel<Map<String, Object>>> parcels = items.parcels().iterator();
      for (int i = 0; i < 100; i += 2) {
        Parcel<Map<String, Object>> first = parcels.next();
        Parcel<Map<String, Object>> second = parcels.next();
        int expected = i + 1;
        Thread opener =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try (Lease<Map<String, Object>> lease = second.open(ViewScope.CONFINED)) {
                        assertEquals(expected, Sources.verified(lease.item()));
                      }
                    });
        opener.join();
        assertThrows(IllegalStateException.class, () -> second.open(ViewScope.CONFINED));
        assertThrows(IllegalStateException.class, second::discard);
        first.discard();
        assertThrows(IllegalStateException.class, () -> first.open(ViewScope.SHARED));
      }
      assertFalse(parcels.hasNext());
      assertEquals(100, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  // R63, B138
  @Test
  void leavingEarlyWhileTheWorkerWaitsForSpaceLosesAndMixesNothing() {
    Random random = new Random(Seeds.next());
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(10), pool(2))) {
      int rounds = Rounds.of(200);
      for (int round = 0; round < rounds; round++) {
        int wanted = random.nextInt(12);
        int seen = 0;
        for (Lease<Map<String, Object>> lease : items.leases()) {
          try (lease) {
            assertEquals(seen++, Sources.verified(lease.item()));
          }
          if (seen == wanted) {
            break;
          }
        }
        assertEquals(wanted == 0 ? 10 : Math.min(10, wanted), seen);
      }
    }
  }

  @Test
  void aHeldUnitStaysWhileLaterPassesRun() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(3), pool(16))) {
      List<Lease<Map<String, Object>>> held = new ArrayList<>();
      for (int pass = 0; pass < 4; pass++) {
        for (Lease<Map<String, Object>> lease : items.leases()) {
          held.add(lease);
        }
      }
      for (int i = 0; i < held.size(); i++) {
        assertEquals(i % 3, Sources.verified(held.get(i).item()));
        held.get(i).close();
      }
      assertEquals(12, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  @Test
  void missingSpaceIsAnErrorAndTheSameItemComesWhenThereIsRoom() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(6), impatientPool(2))) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      Lease<Map<String, Object>> first = leases.next();
      Lease<Map<String, Object>> second = leases.next();
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
      assertEquals(2L, full.facts().get("heldByConsumer"));
      assertEquals(2L, full.facts().get("index"));
      assertTrue(leases.hasNext());
      assertThrows(AcquireTimeoutException.class, leases::next);
      first.close();
      second.close();
      for (int i = 2; i < 6; i++) {
        try (Lease<Map<String, Object>> lease = leases.next()) {
          assertEquals(i, Sources.verified(lease.item()));
        }
      }
      assertFalse(leases.hasNext());
    }
  }

  @Test
  void aSlowConsumerIsNotToldOfSpaceThatWasMissingBeforeItAsked() throws Exception {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Sources.stamped(6), impatientPool(2))) {
      int expected = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        Thread.sleep(700);
        try (lease) {
          assertEquals(expected++, Sources.verified(lease.item()));
        }
      }
      assertEquals(6, expected);
    }
  }

  @Test
  void anItemThatCanNeverFitIsAnErrorInItsPlace() {
    WorkerSource<byte[]> source = _ -> Sources.counting(3, i -> new byte[i == 1 ? 1 << 20 : 4096]);
    try (SubprocessIterable<byte[]> items = Subprocess.iterate(source, pool(2))) {
      Iterator<byte[]> iterator = items.iterator();
      assertEquals(4096, iterator.next().length);
      UnitTooLargeException tooLarge = assertThrows(UnitTooLargeException.class, iterator::next);
      assertEquals(1L, tooLarge.facts().get("index"));
      assertEquals(4096, iterator.next().length);
      assertFalse(iterator.hasNext());
    }
  }

  // R2, R33
  @Test
  void viewsOutliveTheWorkerAndTheClose() {
    SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(Sources.stamped(3), pool(4));
    List<Lease<Map<String, Object>>> leases = new ArrayList<>();
    items.leases().forEach(leases::add);
    Parcel<Map<String, Object>> unopened = items.parcels().iterator().next();
    items.close();
    for (int i = 0; i < 3; i++) {
      assertEquals(i, Sources.verified(leases.get(i).item()));
      leases.get(i).close();
    }
    assertThrows(ArenaClosedException.class, () -> unopened.open(ViewScope.CONFINED));
  }
}
