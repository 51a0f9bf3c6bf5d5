package dev.holdfast.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.internal.life.TicketNumber;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.RestoreMode;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The consumer's side of tickets. */
@ExtendWith(Leftovers.class)
final class TicketTest {
  private static final int SIZE = TicketRig.SIZE;

  // B187, B188
  @Test
  void ticketsAreRecoveredInAnyOrderEachOnce() {
    int count = 7;
    try (TicketRig rig = new TicketRig(count)) {
      Random random = new Random(5);
      for (int round = 0; round < 10; round++) {
        List<Integer> order = new ArrayList<>();
        List<ArenaTicket> tickets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          tickets.add(rig.seal(i));
          order.add(i);
        }
        assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
        Collections.shuffle(order, random);
        List<TicketLease> leases = new ArrayList<>();
        for (int i : order) {
          TicketLease lease = rig.pool.recover(tickets.get(i));
          TicketRig.verify(lease, i);
          leases.add(lease);
          rig.assertRefused("recovered", tickets.get(i));
        }
        assertEquals(count, rig.pool.stats().held());
        Collections.shuffle(leases, random);
        leases.forEach(TicketLease::close);
        assertEquals((long) count * (round + 1), rig.pool.stats().reclaimed());
        tickets.forEach(
            ticket -> assertThrows(TicketException.class, () -> rig.pool.recover(ticket)));
      }
    }
  }

  // B187
  @Test
  void copiesOfATicketNameTheSameUnitAndAllowNoSecondUse() {
    try (TicketRig rig = new TicketRig(2)) {
      ArenaTicket ticket = rig.seal(1);
      ArenaTicket copy = TicketRig.ticket(TicketRig.bytes(ticket));
      ArenaTicket copyOfCopy = TicketRig.ticket(TicketRig.bytes(copy));
      assertEquals(ticket, copyOfCopy);
      assertEquals(ticket.hashCode(), copyOfCopy.hashCode());
      assertEquals(rig.pool.arenaId(), copy.arenaId());
      rig.check(copy, 1);
      rig.assertRefused("recovered", ticket);
      rig.assertRefused("recovered", copyOfCopy);

      ArenaTicket discarded = rig.seal(2);
      assertNotEquals(ticket, discarded);
      rig.pool.discard(TicketRig.ticket(TicketRig.bytes(discarded)));
      rig.assertRefused("discarded", discarded);
      assertEquals(2, rig.pool.stats().reclaimed());
    }
  }

  @Test
  void foreignForgedAndStaleTicketsAreRefusedAndHarmNothing() {
    try (TicketRig rig = new TicketRig(3);
        TicketRig other = new TicketRig(3)) {
      ArenaTicket foreign = other.seal(1);
      rig.assertRefused("foreign", foreign);
      assertNotNull(rig.pool.openWriter(), "a foreign ticket made it a pool of tickets");
      other.check(foreign, 1);
    }
    try (TicketRig rig = new TicketRig(3)) {
      ArenaTicket stale = rig.seal(1);
      rig.check(stale, 1);
      for (int i = 0; i < 100; i++) {
        rig.check(rig.seal(i), i);
      }
      rig.assertRefused("stale", stale);
      ArenaTicket good = rig.seal(2);
      ArenaReservation open = rig.pool.reserve();
      Stamps.fill(open.allocate(SIZE), 3, 0);
      TicketNumber number = good.number();
      UUID id = number.arenaId();
      for (TicketNumber forged :
          List.of(
              new TicketNumber(id, number.unit(), number.span(), number.key() + 1),
              new TicketNumber(id, number.unit(), number.span() - 1, number.key()),
              new TicketNumber(id, number.unit(), number.span() + 1, number.key()),
              new TicketNumber(id, number.unit(), -1, number.key()),
              new TicketNumber(id, number.unit(), Long.MAX_VALUE, number.key()),
              new TicketNumber(id, number.unit() + 1, number.span(), number.key()),
              new TicketNumber(id, number.unit() + 2, number.span(), number.key()),
              new TicketNumber(id, number.unit() + 3, number.span(), number.key()),
              new TicketNumber(id, -1, 0, 0),
              new TicketNumber(id, Long.MIN_VALUE, 0, 0),
              new TicketNumber(id, Long.MAX_VALUE, 0, 0))) {
        rig.assertRefused("forged", new ArenaTicket(forged));
      }
      rig.check(open.seal(), 3);
      rig.check(good, 2);
      for (int i = 0; i < 10; i++) {
        rig.check(rig.seal(i), i);
      }
    }
  }

  // B186, R82
  @ParameterizedTest
  @EnumSource
  void ticketWithoutAllocationGivesAnEmptyViewAndNeedsOneRecoveryOrDiscard(ViewScope scope) {
    try (TicketRig rig = new TicketRig(2)) {
      for (int round = 0; round < 10; round++) {
        ArenaTicket recovered = rig.pool.reserve().seal();
        ArenaTicket discarded = rig.pool.reserve().seal();
        assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
        try (TicketLease lease = rig.pool.recover(recovered, scope)) {
          assertEquals(0, lease.segment().byteSize());
          rig.assertRefused("recovered", recovered);
        }
        rig.pool.discard(discarded);
        rig.assertRefused("discarded", discarded);
        rig.check(rig.seal(round), round);
      }
      assertEquals(30, rig.pool.stats().reclaimed());
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaseKeepsItsBytesUntilItsViewsHaveEnded(ViewScope scope) {
    try (TicketRig rig = new TicketRig(1)) {
      TicketLease lease = rig.pool.recover(rig.seal(1), scope);
      assertEquals(scope, lease.scope());
      assertTrue(lease.segment().isReadOnly());
      assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
      StorageHold hold = lease.hold();
      StorageHold second = StorageHold.of(lease.segment().asSlice(8, 8));
      TicketRig.verify(lease, 1);
      lease.close();
      if (scope != ViewScope.COLLECTED) {
        assertTrue(lease.close(Deadlines.GENEROUS));
      }
      assertThrows(IllegalStateException.class, lease::segment);
      assertEquals(UnitLease.State.CLOSED, lease.state());
      Stamps.verify(hold.segment(), 1, 0);
      assertEquals(Stamps.word(1, 0, 1), second.segment().get(ValueLayout.JAVA_LONG, 0));
      assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
      hold.close();
      second.close();
      Deadlines.assertEventually(
          "the segment is free",
          () -> {
            GcPressure.collect();
            return rig.pool.stats().reclaimed() == 1;
          });
      rig.check(rig.seal(2), 2);
    }
  }

  @Test
  void leaseDroppedWithoutACloseIsFoundAndCounted() {
    try (TicketRig rig = new TicketRig(1, Duration.ofMinutes(10))) {
      TicketRig.verify(rig.pool.recover(rig.seal(1)), 1);
      rig.check(rig.seal(2), 2);
      assertEquals(1, rig.pool.stats().leakedLeases());
    }
  }

  @Test
  void poolWithWritableViewsGivesThemForTicketsToo() {
    try (TicketRig rig =
        new TicketRig(SharedMemorySegmentPool.builder(SIZE, 1).writableViews(true))) {
      try (TicketLease lease = rig.pool.recover(rig.seal(1))) {
        MemorySegment bytes = lease.segment();
        assertEquals(SIZE, bytes.fill((byte) 3).byteSize());
      }
    }
  }

  @Test
  void pinnerThatRefusesLeavesTheTicketGood() {
    AtomicBoolean refuses = new AtomicBoolean(true);
    PagePinner pinner =
        memory -> {
          if (refuses.get()) {
            throw new PinningException(FailureDetail.of("no"));
          }
          return PagePinner.mlock().register(memory.asSlice(0, 4096));
        };
    try (TicketRig rig = new TicketRig(SharedMemorySegmentPool.builder(SIZE, 1).pinned(pinner))) {
      ArenaTicket ticket = rig.seal(1);
      assertThrows(PinningException.class, () -> rig.pool.recover(ticket));
      refuses.set(false);
      rig.check(ticket, 1);
      assertTrue(rig.pool.isPinned());
    }
  }

  // B189
  @Test
  void ticketInsideAnItemCrossesUntouched() throws Exception {
    try (TicketRig rig = new TicketRig(2)) {
      ArenaTicket ticket = rig.seal(1);
      ItemCodec codec = ItemCodec.standard();
      ItemCodec.Encoder encoder = codec.newEncoder();
      EncodedItem encoded = encoder.encode(Map.of("ticket", ticket, "size", SIZE), null);
      byte[] bytes = encoded.bytes().toArray(ValueLayout.JAVA_BYTE);
      encoder.sent();
      for (int i = 0; i < 2; i++) {
        ItemCodec.Decoder decoder = codec.newDecoder(null, getClass().getClassLoader());
        Object item =
            decoder.restore(
                decoder.register(MemorySegment.ofArray(bytes)), null, RestoreMode.HEAP_COPIES);
        assertEquals(Map.of("ticket", ticket, "size", SIZE), item);
      }
      assertEquals(0, rig.pool.stats().reclaimed());
      rig.check(ticket, 1);
    }
  }

  @Test
  void poolServesStreamsOrTicketsFixedByItsFirstUse() {
    try (TicketRig rig = new TicketRig(2)) {
      ArenaTicket ticket = rig.seal(1);
      assertThrows(IllegalStateException.class, rig.pool::openReader);
      assertThrows(IllegalStateException.class, rig.pool::openWriter);
      rig.check(ticket, 1);
    }
    try (TicketRig rig = new TicketRig(2)) {
      try (ArenaWriter writer = rig.pool.openWriter()) {
        assertThrows(IllegalStateException.class, rig.pool::reserve);
        writer.beginUnit();
        writer.writeBinary(MemorySegment.ofArray(new byte[8]));
        writer.commitUnit();
      }
      IllegalStateException e = assertThrows(IllegalStateException.class, rig.pool::reserve);
      assertTrue(e.getMessage().contains("STREAMS"), e::getMessage);
      ArenaTicket forged = new ArenaTicket(new TicketNumber(rig.pool.arenaId(), 0, 8, 0));
      assertThrows(IllegalStateException.class, () -> rig.pool.recover(forged));
      rig.pool.openReader().close();
      rig.pool.openWriter().close();
    }
  }

  @Test
  void ofAStreamAndATicketThatComeAtOnceOneIsRefused() throws Exception {
    int rounds = Rounds.of(800);
    for (int round = 0; round < rounds; round++) {
      try (TicketRig rig = new TicketRig(1)) {
        ArenaTicket forged = new ArenaTicket(new TicketNumber(rig.pool.arenaId(), 0, 8, 0));
        CyclicBarrier together = new CyclicBarrier(2);
        FutureTask<Boolean> stream =
            Deadlines.start(
                "stream",
                () -> {
                  together.await();
                  try {
                    rig.pool.openWriter();
                    return true;
                  } catch (IllegalStateException e) {
                    return false;
                  }
                });
        together.await();
        boolean tickets =
            assertThrows(RuntimeException.class, () -> rig.pool.discard(forged))
                instanceof TicketException;
        assertFalse(tickets && Deadlines.result(stream), "both were let in");
      }
    }
  }

  @Test
  void ofManyThreadsThatUseOneTicketOneWins() throws Exception {
    int rounds = Rounds.of(500);
    int threads = 3;
    try (TicketRig rig = new TicketRig(2)) {
      for (int round = 0; round < rounds; round++) {
        ArenaTicket ticket = rig.seal(round, 64);
        AtomicInteger won = new AtomicInteger();
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          boolean discards = i == 0;
          long stamp = round;
          tasks.add(
              Deadlines.start(
                  "racer",
                  () -> {
                    try {
                      if (discards) {
                        rig.pool.discard(ticket);
                      } else {
                        rig.check(ticket, stamp);
                      }
                      won.incrementAndGet();
                    } catch (TicketException e) {
                      assertNotNull(e.facts().get("reason"));
                    }
                    return null;
                  }));
        }
        for (FutureTask<Void> task : tasks) {
          Deadlines.result(task);
        }
        assertEquals(1, won.get());
        assertEquals(round + 1, rig.pool.stats().reclaimed());
      }
    }
  }

  /** The book forgets released tickets when their place is used again; they stay refused. */
  @Test
  void usedTicketsBehindAHeldOneAreRefusedAlsoWhenTheBookHasForgottenThem() {
    int count = 200;
    try (TicketRig rig = new TicketRig(SharedMemorySegmentPool.builder(64, count))) {
      List<ArenaTicket> tickets = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        tickets.add(rig.seal(i, 64));
      }
      for (int i = 1; i < count; i++) {
        rig.check(tickets.get(i), i);
      }
      for (int i = 1; i < count; i++) {
        ArenaTicket used = tickets.get(i);
        TicketException e = assertThrows(TicketException.class, () -> rig.pool.recover(used));
        assertTrue(List.of("recovered", "stale").contains(e.facts().get("reason")), e::getMessage);
      }
      assertEquals(0, rig.pool.stats().reclaimed());
      rig.check(tickets.getFirst(), 0);
      assertEquals(count, rig.pool.stats().reclaimed());
    }
  }

  /** Producers that seal, abort and hold, consumers that recover and discard, all at once. */
  @Test
  void manyProducersAndConsumersNeverMixUpAUnit() throws Exception {
    int producers = 3;
    int each = Rounds.of(2000);
    record Message(ArenaTicket ticket, long stamp, int size) {}
    BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    AtomicInteger used = new AtomicInteger();
    try (TicketRig rig = new TicketRig(5, Duration.ofMinutes(10))) {
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (int p = 0; p < producers; p++) {
        int producer = p;
        tasks.add(
            Deadlines.start(
                "producer",
                () -> {
                  Random random = new Random(producer);
                  for (int i = 0; i < each; i++) {
                    ViewScope scope =
                        random.nextInt(8) == 0 ? ViewScope.SHARED : ViewScope.CONFINED;
                    int size = 1 + random.nextInt(SIZE);
                    long stamp = (long) producer * each + i;
                    try (ArenaReservation reservation = rig.pool.reserve(scope)) {
                      Stamps.fill(reservation.allocate(size), stamp, 0);
                      if (random.nextInt(4) != 0) {
                        messages.add(new Message(reservation.seal(), stamp, size));
                        used.incrementAndGet();
                      }
                    }
                  }
                  return null;
                }));
      }
      AtomicInteger ended = new AtomicInteger();
      List<FutureTask<Void>> consumers = new ArrayList<>();
      for (int c = 0; c < 2; c++) {
        int consumer = c;
        consumers.add(
            Deadlines.start(
                "consumer",
                () -> {
                  Random random = new Random(consumer);
                  while (true) {
                    boolean last = ended.get() == 1;
                    Message message = messages.poll(5, TimeUnit.MILLISECONDS);
                    if (message == null) {
                      if (last) {
                        return null;
                      }
                    } else if (random.nextInt(5) == 0) {
                      rig.pool.discard(message.ticket);
                    } else {
                      try (TicketLease lease = rig.pool.recover(message.ticket)) {
                        assertEquals(message.size, lease.segment().byteSize());
                        TicketRig.verify(lease, message.stamp);
                      }
                    }
                  }
                }));
      }
      for (FutureTask<Void> task : tasks) {
        Deadlines.result(task);
      }
      ended.set(1);
      for (FutureTask<Void> consumer : consumers) {
        Deadlines.result(consumer);
      }
      assertEquals(used.get(), rig.pool.stats().published());
      assertEquals(used.get(), rig.pool.stats().reclaimed());
      assertEquals(0, rig.pool.stats().held());
    }
  }
}
