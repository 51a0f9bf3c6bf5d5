package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Items on their way between threads, and the scopes in which they are opened. */
@SuppressWarnings("EnumOrdinal") // the place of an item
@ExtendWith(Leftovers.class)
@Timeout(300)
final class ParcelsTest {

  private static SubprocessIterable<Map<String, Object>> start(int units, int segments) {
    return Subprocess.iterate(
        Feeds.stamped(units),
        Feeds.options(false).arena(Feeds.pool(segments, Feeds.LONG)).bufferSize(segments).build());
  }

  private record Sent(Parcel<Map<String, Object>> parcel, int unit) {}

  private static void open(Sent sent, ViewScope scope) {
    try (Lease<Map<String, Object>> lease = sent.parcel().open(scope)) {
      Feeds.verify(lease.item(), 0, sent.unit());
    }
  }

  @Test
  void parcelsAreOpenedByManyThreadsInAnyOrderAndScope() throws Exception {
    int units = 120;
    try (SubprocessIterable<Map<String, Object>> items = start(units, 8)) {
      BlockingQueue<Sent> queue = new LinkedBlockingQueue<>(2);
      AtomicInteger opened = new AtomicInteger();
      List<FutureTask<Integer>> threads = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        ViewScope scope = ViewScope.values()[thread];
        threads.add(Deadlines.start("opener-" + scope, () -> openAll(queue, scope, opened)));
      }
      int unit = 0;
      for (Parcel<Map<String, Object>> parcel : items.parcels()) {
        queue.put(new Sent(parcel, unit++));
      }
      for (int thread = 0; thread < 3; thread++) {
        queue.put(new Sent(null, -1));
      }
      for (FutureTask<Integer> thread : threads) {
        assertTrue(Deadlines.result(thread) >= 0);
      }
      assertEquals(units, unit);
      assertEquals(units, opened.get());
      Deadlines.assertEventually(
          "all storage is given back",
          () -> {
            System.gc();
            return items.arena().orElseThrow().stats().reclaimed() == units;
          });
    }
  }

  private static int openAll(BlockingQueue<Sent> queue, ViewScope scope, AtomicInteger opened)
      throws InterruptedException {
    int own = 0;
    for (Sent sent = queue.take(); sent.unit() >= 0; sent = queue.take()) {
      open(sent, scope);
      opened.incrementAndGet();
      own++;
    }
    return own;
  }

  @Test
  void ofTwoThreadsThatOpenAndDiscardOneWinsAndTheUnitComesBackOnce() throws Exception {
    int units = 200;
    try (SubprocessIterable<Map<String, Object>> items = start(units, 3)) {
      int unit = 0;
      for (Parcel<Map<String, Object>> parcel : items.parcels()) {
        Sent sent = new Sent(parcel, unit++);
        FutureTask<Boolean> opener =
            Deadlines.start("opener", () -> wins(() -> open(sent, ViewScope.CONFINED)));
        FutureTask<Boolean> discarder = Deadlines.start("discarder", () -> wins(parcel::discard));
        assertTrue(Deadlines.result(opener) ^ Deadlines.result(discarder));
      }
      assertEquals(units, unit);
      assertEquals(units, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  private static boolean wins(Runnable use) {
    try {
      use.run();
      return true;
    } catch (IllegalStateException e) {
      assertTrue(e.getMessage().contains("opened or discarded before"), e::toString);
      return false;
    }
  }

  @Test
  void unopenedParcelsOutliveTheirPassAndComeInAnyOrder() {
    Random random = new Random(Seeds.next());
    try (SubprocessIterable<Map<String, Object>> items = start(4, 10)) {
      List<Sent> ofPass = new ArrayList<>();
      for (int pass = 0; pass < 20; pass++) {
        int current = pass;
        List<Sent> older = List.copyOf(ofPass);
        ofPass.clear();
        int unit = 0;
        for (Parcel<Map<String, Object>> parcel : items.parcels()) {
          ofPass.add(new Sent(parcel, unit++));
        }
        List<Sent> shuffled = new ArrayList<>(older);
        Collections.shuffle(shuffled, random);
        for (Sent sent : shuffled) {
          if (random.nextInt(3) == 0) {
            sent.parcel().discard();
          } else {
            try (Lease<Map<String, Object>> lease = sent.parcel().open(ViewScope.SHARED)) {
              Feeds.verify(lease.item(), current - 1, sent.unit());
            }
          }
        }
      }
      ofPass.forEach(sent -> sent.parcel().discard());
    }
  }

  @Test
  void parcelsWithoutStorageAreOpenedAfterTheCloseAndOthersSayThatItIsClosed() {
    Parcel<Map<String, Object>> withStorage;
    try (SubprocessIterable<Map<String, Object>> items = start(1, 2)) {
      withStorage = items.parcels().iterator().next();
    }
    assertThrows(ArenaClosedException.class, () -> withStorage.open(ViewScope.CONFINED));
    assertThrows(IllegalStateException.class, () -> withStorage.open(ViewScope.CONFINED));
    assertThrows(IllegalStateException.class, withStorage::discard);
  }

  @ParameterizedTest
  @EnumSource(ViewScope.class)
  void leasesOfEveryScopeSurviveTheirIterableAndEndAsTheirScopeSays(ViewScope scope) {
    Lease<Map<String, Object>> lease;
    StorageHold hold;
    try (SubprocessIterable<Map<String, Object>> items = start(2, 2)) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases(scope).iterator();
      lease = leases.next();
      hold = lease.hold();
      assertEquals(scope, lease.unit().orElseThrow().scope());
    }
    Feeds.verify(lease.item(), 0, 0);
    ByteBuffer view = (ByteBuffer) lease.item().get("payload");
    assertEquals(scope != ViewScope.COLLECTED, lease.close(Duration.ofSeconds(30)));
    lease.close();
    if (scope == ViewScope.COLLECTED) {
      Feeds.verify(lease.item(), 0, 0);
    } else {
      assertThrows(IllegalStateException.class, () -> view.get(0));
    }
    assertThrows(IllegalStateException.class, lease::hold);
    byte[] right = new byte[Feeds.PAYLOAD_BYTES];
    ((ByteBuffer) Feeds.item(0, 0, Feeds.PAYLOAD_BYTES).get("payload")).get(right);
    byte[] held = new byte[Feeds.PAYLOAD_BYTES];
    hold.buffer().get(0, held);
    assertEquals(ByteBuffer.wrap(right), ByteBuffer.wrap(held));
    hold.close();
  }

  @Test
  void confinedLeaseIsClosedByItsThreadOnly() throws Exception {
    try (SubprocessIterable<Map<String, Object>> items = start(2, 2)) {
      for (Lease<Map<String, Object>> lease : items.leases()) {
        FutureTask<Boolean> other =
            Deadlines.start(
                "other",
                () -> {
                  assertThrows(WrongThreadException.class, lease::close);
                  return true;
                });
        assertTrue(Deadlines.result(other));
        lease.close();
        FutureTask<Boolean> late =
            Deadlines.start("late", () -> lease.close(Duration.ofSeconds(1)));
        assertTrue(Deadlines.result(late));
        assertFalse(lease.unit().isEmpty());
      }
    }
  }

  @Test
  void withoutAnArenaLeasesAndParcelsWorkTheSame() {
    try (SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(Feeds.stamped(6))) {
      int unit = 0;
      for (Parcel<Map<String, Object>> parcel : items.parcels()) {
        if (unit % 2 == 0) {
          open(new Sent(parcel, unit), ViewScope.SHARED);
        } else {
          parcel.discard();
        }
        assertThrows(IllegalStateException.class, parcel::discard);
        unit++;
      }
      assertEquals(6, unit);
      for (Lease<Map<String, Object>> lease : items.leases(ViewScope.SHARED)) {
        assertTrue(lease.unit().isEmpty());
        try (StorageHold hold = lease.hold()) {
          assertEquals(0, hold.segment().byteSize());
        }
        lease.close();
        Feeds.verify(lease.item(), 1, (Integer) lease.item().get("unit"));
      }
    }
  }
}
