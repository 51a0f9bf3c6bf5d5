package dev.holdfast.acceptance.tickets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.TicketException;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Stamps;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Producers and consumers of tickets in processes of their own, which are killed as well. */
@ExtendWith(Leftovers.class)
final class TicketsAcrossProcessesTest {
  private static final int SIZE = 100_000;
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());

  @TempDir private Path folder;

  private static SharedMemorySegmentPool pool(int count) {
    return SharedMemorySegmentPool.builder(SIZE, count).acquireTimeout(Duration.ZERO).build();
  }

  private static void end(SharedMemorySegmentPool pool) {
    pool.close();
    pool.unlink();
  }

  private static ArenaTicket seal(SharedMemorySegmentPool pool, long stamp) {
    try (ArenaReservation reservation = pool.reserve()) {
      Stamps.fill(reservation.allocate(SIZE), stamp, 0);
      return reservation.seal();
    }
  }

  private static void check(SharedMemorySegmentPool pool, ArenaTicket ticket, long stamp) {
    try (TicketLease lease = pool.recover(ticket)) {
      Stamps.verify(lease.segment(), stamp, 0);
    }
  }

  // B187
  @Test
  void ticketsCrossSerializationTwiceAndAreRecoveredInAnyOrderElsewhere() {
    SharedMemorySegmentPool pool = pool(6);
    try (RemoteTickets producer = RemoteTickets.attach(pool);
        RemoteTickets consumer = RemoteTickets.attach(pool)) {
      int[] order = {5, 2, 0, 4, 1, 3};
      for (int round = 0; round < 3; round++) {
        List<ArenaTicket> tickets = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          tickets.add(producer.sealNew(10 * round + i, SIZE - i));
        }
        String full = producer.callFailing("reserve 0 1", AcquireTimeoutException.class);
        assertTrue(full.contains("holders=[6 ticket]"), full);
        for (int i : order) {
          consumer.recover(tickets.get(i), 10 * round + i, SCOPES.get(i % 2 + 1));
        }
        String again =
            consumer.callFailing(
                RemoteTickets.recoverCommand(tickets.get(2), 0, ViewScope.CONFINED),
                TicketException.class);
        assertTrue(again.contains("reason=recovered"), again);
        full = producer.callFailing("reserve 0 1", AcquireTimeoutException.class);
        assertTrue(full.contains("oldestHolder=confined lease"), full);
        for (int i = 0; i < 6; i++) {
          consumer.call("verify");
          consumer.call("release 0");
        }
        long all = 6L * (round + 1);
        Deadlines.assertEventually("all is released", () -> pool.stats().reclaimed() == all);
      }
      producer.exit();
      consumer.exit();
    }
    end(pool);
  }

  @Test
  void eachSideBelongsToOneProcessUntilItClosesThePool() {
    SharedMemorySegmentPool pool = pool(4);
    try (RemoteTickets first = RemoteTickets.attach(pool);
        RemoteTickets second = RemoteTickets.attach(pool)) {
      ArenaTicket zero = first.sealNew(0, SIZE);
      first.reserve(1, SIZE);
      IllegalStateException taken = assertThrows(IllegalStateException.class, pool::reserve);
      assertTrue(taken.getMessage().contains("pid=" + first.child().pid()), taken::getMessage);
      second.callFailing("reserve 7 1", IllegalStateException.class);
      first.call("close");
      second.callFailing("reserve 7 1", IllegalStateException.class);
      first.call("abort 0");
      ArenaTicket one = second.sealNew(1, SIZE);
      ArenaTicket two = second.sealNew(2, SIZE);
      assertEquals(3, pool.stats().published());

      second.recover(two, 2, ViewScope.CONFINED);
      assertThrows(IllegalStateException.class, () -> pool.recover(zero));
      second.discard(zero);
      second.call("close");
      assertThrows(IllegalStateException.class, () -> pool.recover(one));
      second.call("verify");
      second.call("release 0");
      for (ArenaTicket used : List.of(zero, two)) {
        TicketException e = assertThrows(TicketException.class, () -> pool.recover(used));
        assertEquals("stale", e.facts().get("reason"));
      }
      check(pool, one, 1);
      assertEquals(3, pool.stats().reclaimed());
      check(pool, seal(pool, 3), 3);
      first.exit();
      second.exit();
    }
    end(pool);
  }

  @Test
  void producerKilledBetweenAllocateAndSealLeavesItsNumberFreeAndItsTicketsGood() {
    SharedMemorySegmentPool pool = pool(4);
    PausePoints points = PausePoints.in(folder).pause("RESERVATION_FILLED", 3);
    try (RemoteTickets producer = RemoteTickets.attach(pool, points.jvmArgument())) {
      ArenaTicket zero = producer.sealNew(0, SIZE);
      producer.reserve(1, SIZE);
      producer.reserve(2, SIZE);
      ArenaTicket two = producer.seal(1);
      producer.send("seal 0");
      assertEquals(producer.child().pid(), points.awaitReached("RESERVATION_FILLED"));
      assertThrows(IllegalStateException.class, () -> pool.takeOver(Side.WRITER));
      producer.child().killAndAwait();
      assertThrows(IllegalStateException.class, pool::reserve);

      pool.takeOver(Side.WRITER);
      assertEquals(1, pool.stats().published());
      ArenaTicket one = seal(pool, 1);
      assertEquals(3, pool.stats().published());
      ArenaTicket three = seal(pool, 3);
      assertThrows(AcquireTimeoutException.class, pool::reserve);
      check(pool, two, 2);
      check(pool, three, 3);
      check(pool, one, 1);
      check(pool, zero, 0);
      assertEquals(4, pool.stats().reclaimed());
    }
    end(pool);
  }

  @Test
  void producerKilledInTheMiddleOfASealLosesItsTicketWhichKeepsItsSegment() {
    SharedMemorySegmentPool pool = pool(3);
    PausePoints points = PausePoints.in(folder).pause("TICKET_SEALED", 2);
    try (RemoteTickets producer = RemoteTickets.attach(pool, points.jvmArgument())) {
      producer.reserve(0, SIZE);
      producer.reserve(1, SIZE);
      ArenaTicket one = producer.seal(1);
      producer.send("seal 0");
      assertEquals(producer.child().pid(), points.awaitReached("TICKET_SEALED"));
      assertEquals(0, pool.stats().published());
      producer.child().killAndAwait();
      pool.takeOver(Side.WRITER);

      pool.reserve().close();
      assertEquals(2, pool.stats().published());
      ArenaTicket two = seal(pool, 2);
      assertEquals(3, pool.stats().published());
      check(pool, one, 1);
      check(pool, two, 2);
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, pool::reserve);
      assertEquals(0L, full.facts().get("oldestUnit"));
      assertEquals("ticket", full.facts().get("oldestHolder"));
    }
    end(pool);
  }

  @Test
  void consumerThatIsKilledGivesBackWhatItTookAndLeavesTheOtherTicketsGood() {
    SharedMemorySegmentPool pool = pool(6);
    PausePoints points = PausePoints.in(folder).pause("TICKET_TAKEN", 4);
    List<ArenaTicket> tickets = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tickets.add(seal(pool, i));
    }
    try (RemoteTickets consumer = RemoteTickets.attach(pool, points.jvmArgument())) {
      for (int i = 0; i < 3; i++) {
        consumer.recover(tickets.get(2 * i), 2L * i, SCOPES.get(i));
      }
      consumer.send(RemoteTickets.recoverCommand(tickets.get(1), 1, ViewScope.CONFINED));
      assertEquals(consumer.child().pid(), points.awaitReached("TICKET_TAKEN"));
      assertEquals(0, pool.stats().reclaimed());
      consumer.child().killAndAwait();

      pool.takeOver(Side.READER);
      assertEquals(3, pool.stats().reclaimed());
      check(pool, seal(pool, 6), 6);
      for (int used : new int[] {0, 1, 2, 4}) {
        assertThrows(TicketException.class, () -> pool.recover(tickets.get(used)));
      }
      check(pool, tickets.get(5), 5);
      assertEquals(3, pool.stats().reclaimed());
      check(pool, tickets.get(3), 3);
      assertEquals(7, pool.stats().reclaimed());
    }
    end(pool);
  }

  // R21
  @Test
  void fileThatIsCutShortIsATypedErrorInEveryCall() {
    try (ChildJvm child = ChildJvm.of(Victim.class).jvmArgs("-Xmx64m").start()) {
      child.awaitSuccess();
    }
  }

  /** Has its file cut short between its calls, in a process that could be killed by it. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] arguments) throws Exception {
      Path file = Path.of("/dev/shm/holdfast-victim-" + ProcessHandle.current().pid());
      SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(SIZE, 4)
              .backing(Backing.file(file))
              .acquireTimeout(Duration.ZERO)
              .build();
      ArenaTicket recovered = seal(pool, 0);
      ArenaTicket discarded = seal(pool, 1);
      TicketLease lease = pool.recover(seal(pool, 2));
      ArenaReservation filled = pool.reserve();
      Stamps.fill(filled.allocate(SIZE), 3, 0);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        assertEquals(0, channel.truncate(0).size());
      }
      for (Executable call :
          List.<Executable>of(
              filled::seal,
              () -> pool.reserve().seal(),
              () -> pool.recover(recovered),
              () -> pool.discard(discarded))) {
        ArenaCorruptedException e = assertThrows(ArenaCorruptedException.class, call);
        String said = "the backing file shrank: place=" + file + " expectedBytes=";
        assertTrue(e.getMessage().contains(said), e::getMessage);
        assertEquals(0L, e.facts().get("foundBytes"));
      }
      filled.close();
      lease.close();
      pool.close();
      pool.unlink();
    }
  }

  // R53
  @Test
  void producerThatWaitsInAnotherProcessIsWokenByARecoveryAndByShutdown() {
    SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(SIZE, 1).acquireTimeout(Duration.ofHours(1)).build();
    try (RemoteTickets producer = RemoteTickets.attach(pool)) {
      ArenaTicket first = producer.sealNew(1, SIZE);
      producer.send("reserve 2 " + SIZE);
      check(pool, first, 1);
      producer.answer();
      ArenaTicket second = producer.seal(0);
      producer.send("reserve 3 " + SIZE);
      pool.shutdown();
      producer.failingAnswer(ArenaClosedException.class);
      check(pool, second, 2);
      producer.exit();
    }
    end(pool);
  }
}
