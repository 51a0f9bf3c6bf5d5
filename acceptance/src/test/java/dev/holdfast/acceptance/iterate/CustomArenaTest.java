package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.arena.FileSlotArena;
import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** An arena of a user's own, written against the exported packages, carries a worker's items. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class CustomArenaTest {

  private static SubprocessOptions slots(int count, Duration acquireTimeout) {
    return Feeds.options(false)
        .arena(FileSlotArena.create(Feeds.PAYLOAD_BYTES, count, acquireTimeout))
        .build();
  }

  @Test
  void passesAndLeasesAndParcelsGoThroughIt() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(20), slots(3, Feeds.LONG))) {
      int unit = 0;
      for (Map<String, Object> item : items) {
        Feeds.verify(item, 0, unit++);
      }
      unit = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          Feeds.verify(lease.item(), 1, unit++);
        }
        if (unit == 7) {
          break;
        }
      }
      unit = 0;
      for (Parcel<Map<String, Object>> parcel : items.parcels()) {
        if (unit % 2 == 0) {
          parcel.discard();
        } else {
          try (Lease<Map<String, Object>> lease = parcel.open(ViewScope.SHARED)) {
            Feeds.verify(lease.item(), 2, unit);
          }
        }
        unit++;
      }
      assertEquals(20, unit);
      assertTrue(items.arena().orElseThrow().stats().published() >= 47);
    }
  }

  @Test
  void itsErrorsTakeTheItemsPlaceAndLoseNothing() {
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            Feeds.counting(
                4, index -> new byte[index == 1 ? Feeds.PAYLOAD_BYTES + 1 : Feeds.PAYLOAD_BYTES]),
            slots(2, Duration.ofMillis(200)))) {
      Iterator<Parcel<Object>> parcels = items.parcels().iterator();
      Parcel<Object> first = parcels.next();
      UnitTooLargeException large = assertThrows(UnitTooLargeException.class, parcels::next);
      assertEquals(1L, large.facts().get("index"));
      Parcel<Object> third = parcels.next();
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, parcels::next);
      assertEquals(3L, full.facts().get("index"));
      first.discard();
      third.discard();
      parcels.next().discard();
      assertFalse(parcels.hasNext());
    }
  }

  @Test
  void deathOfItsWorkerIsReportedAndItsFileIsRemoved() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(1_000_000), slots(3, Feeds.LONG))) {
      Iterator<Map<String, Object>> iterator = items.iterator();
      Feeds.verify(iterator.next(), 0, 0);
      ChildJvm.signal(items.pid(), ChildJvm.SIGKILL);
      int unit = 1;
      WorkerDiedException died = null;
      while (died == null) {
        try {
          Feeds.verify(iterator.next(), 0, unit++);
        } catch (WorkerDiedException e) {
          died = e;
        }
      }
      assertEquals("SIGKILL", died.facts().get("signal"));
    }
  }
}
