package dev.holdfast.acceptance.tickets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.fire.Ahead;
import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.acceptance.fire.Peer;
import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.TicketException;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Stamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Producers and consumers of tickets are killed at every pause point and at random moments. Tickets
 * that were told stay good until somebody has used them, and the others have all of the space but
 * what a ticket keeps that nobody was told of. R34
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
public final class KilledTicketHoldersTest {
  private static final int SIZE = 70_000;
  private static final int SEGMENTS = 6;
  private static final int MOST_UNUSED = 1;
  private static final int MANY = 2 * SEGMENTS;
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final String NO_SPACE = "WAITING_FOR_SPACE";

  private static final List<String> OF_PRODUCERS =
      List.of(Peer.ANY_MOMENT, "RESERVATION_FILLED", "TICKET_SEALED", NO_SPACE);
  private static final List<String> OF_CONSUMERS =
      List.of(Peer.ANY_MOMENT, "TICKET_TAKEN", "UNIT_RELEASED");

  /** Returns where producers and consumers are killed. */
  public static Stream<String> points() {
    return Stream.of(OF_PRODUCERS, OF_CONSUMERS).flatMap(List::stream);
  }

  /** The last line of a peer when its kill has cut it. */
  private @Nullable String cut;

  /** A ticket that was told as the manieth. */
  private record Unused(TicketPeerMain.Told told, int number) {}

  private record Round(SharedMemorySegmentPool pool, Peer peer) implements AutoCloseable {
    static Round start(String verb, String point, RandomGenerator random) {
      SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(SIZE, SEGMENTS).acquireTimeout(SHORT).build();
      try {
        String size = String.valueOf(SIZE);
        return new Round(pool, Peer.start(TicketPeerMain.class, point, random, verb, pool, size));
      } catch (RuntimeException | Error e) {
        pool.close();
        pool.unlink();
        throw e;
      }
    }

    @Override
    public void close() {
      try (peer) {
        pool.close();
        pool.unlink();
      }
    }
  }

  @Test
  void ticketsOutliveTheirProducers() throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(7);
    try (Ahead<Round> producers =
        new Ahead<>(
            rounds,
            round ->
                Round.start(
                    "produce",
                    OF_PRODUCERS.get(round % OF_PRODUCERS.size()),
                    CrashMatrix.random(seed, round)))) {
      CrashMatrix.run(
          "producers of tickets",
          seed,
          rounds,
          (random, _) -> {
            try (Round round = producers.take()) {
              killProducer(round.pool(), round.peer(), random);
            }
          });
    }
  }

  private void killProducer(SharedMemorySegmentPool pool, Peer producer, RandomGenerator random) {
    cut = null;
    List<Unused> unused = new ArrayList<>();
    int told = 0;
    producer.go();
    int wanted = producer.endsItself() ? Integer.MAX_VALUE : random.nextInt(30);
    for (int i = 0; i < wanted; i++) {
      Optional<String> line = producer.child().lineOrEnd();
      if (line.isEmpty()) {
        break;
      }
      told += add(unused, told, line.get());
      while (!producer.point().equals(NO_SPACE) && unused.size() > MOST_UNUSED) {
        boolean oldest = told - unused.getFirst().number() > MOST_UNUSED; // or it stops them all
        use(pool, unused.remove(oldest ? 0 : random.nextInt(unused.size())).told(), random);
      }
    }
    if (!producer.endsItself() && told > 0) {
      assertThrows(IllegalStateException.class, () -> pool.takeOver(Side.WRITER));
    }
    producer.awaitDeath();
    for (String line : producer.restOfLines()) {
      told += add(unused, told, line);
    }
    pool.takeOver(Side.WRITER);
    while (!unused.isEmpty()) {
      use(pool, unused.remove(random.nextInt(unused.size())).told(), random);
    }
    int more = goOn(pool);
    long published = pool.stats().published() - more;
    long lost = published - told;
    String counts = "published=%d received=%d cut=%s".formatted(published, told, cut);
    assertTrue(lost == 0 || lost == 1, () -> "one at most has no record: " + counts);
    assertEquals(lost == 0, more == MANY, "only a lost ticket stops the pool");
  }

  private int add(List<Unused> unused, int number, String line) {
    requireNoneCut();
    TicketPeerMain.Told told = TicketPeerMain.told(line);
    if (told == null) {
      cut = line;
      return 0;
    }
    unused.add(new Unused(told, number));
    return 1;
  }

  private void requireNoneCut() {
    assertNull(cut, "a line that does not parse is not the last one");
  }

  private static void use(
      SharedMemorySegmentPool pool, TicketPeerMain.Told told, RandomGenerator random) {
    if (random.nextInt(4) == 0) {
      pool.discard(told.ticket());
      return;
    }
    try (TicketLease lease = pool.recover(told.ticket(), ViewScope.CONFINED)) {
      Stamps.verify(lease.segment(), told.stamp(), 0);
    }
  }

  /** Makes and uses tickets, as long as there is space; returns how many. */
  private static int goOn(SharedMemorySegmentPool pool) {
    for (int made = 0; made < MANY; made++) {
      try (ArenaReservation reservation = pool.reserve()) {
        Stamps.fill(reservation.allocate(SIZE), made, 1);
        try (TicketLease lease = pool.recover(reservation.seal())) {
          Stamps.verify(lease.segment(), made, 1);
        }
      } catch (AcquireTimeoutException e) {
        assertEquals("ticket", e.facts().get("oldestHolder"));
        return made;
      }
    }
    return MANY;
  }

  @Test
  void ticketsOutliveTheirConsumers() throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(7);
    try (Ahead<Round> consumers =
        new Ahead<>(
            rounds,
            round ->
                Round.start(
                    "consume",
                    OF_CONSUMERS.get(round % OF_CONSUMERS.size()),
                    CrashMatrix.random(seed, round)))) {
      CrashMatrix.run(
          "consumers of tickets",
          seed,
          rounds,
          (random, _) -> {
            try (Round round = consumers.take()) {
              killConsumer(round.pool(), round.peer(), random);
            }
          });
    }
  }

  private void killConsumer(SharedMemorySegmentPool pool, Peer consumer, RandomGenerator random) {
    cut = null;
    List<ArenaTicket> tickets = new ArrayList<>();
    Set<Integer> used = new HashSet<>();
    consumer.go();
    int wanted = consumer.endsItself() ? Integer.MAX_VALUE : random.nextInt(30);
    for (int stamp = 0; stamp < wanted && send(pool, consumer, stamp, tickets); stamp++) {
      if (random.nextInt(3) > 0) {
        consumer.child().lineOrEnd().ifPresent(line -> addUsed(used, line));
      }
    }
    if (!consumer.endsItself() && !tickets.isEmpty()) {
      Deadlines.pause(Duration.ofMillis(random.nextInt(3)));
    }
    consumer.awaitDeath();
    consumer.restOfLines().forEach(line -> addUsed(used, line));
    pool.takeOver(Side.READER);
    List<String> uncertain = new ArrayList<>();
    for (int stamp = 0; stamp < tickets.size(); stamp++) {
      ArenaTicket ticket = tickets.get(stamp);
      if (used.contains(stamp)) {
        assertThrows(TicketException.class, () -> pool.recover(ticket));
      } else {
        verifyOrAdd(pool, ticket, stamp, uncertain);
      }
    }
    assertTrue(uncertain.size() <= 1, () -> "used without a word: " + uncertain + " cut=" + cut);
    assertEquals(MANY, goOn(pool));
    assertEquals(pool.stats().published(), pool.stats().reclaimed());
  }

  private void addUsed(Set<Integer> used, String line) {
    requireNoneCut();
    OptionalInt stamp = TicketPeerMain.used(line);
    if (stamp.isPresent()) {
      used.add(stamp.getAsInt());
    } else {
      cut = line;
    }
  }

  private static void verifyOrAdd(
      SharedMemorySegmentPool pool, ArenaTicket ticket, long stamp, List<String> uncertain) {
    try (TicketLease lease = pool.recover(ticket)) {
      Stamps.verify(lease.segment(), stamp, 0);
    } catch (TicketException e) {
      uncertain.add(stamp + " " + e.getMessage());
    }
  }

  /** Returns false when the consumer has ended or there is no space. */
  private static boolean send(
      SharedMemorySegmentPool pool, Peer consumer, int stamp, List<ArenaTicket> tickets) {
    ArenaReservation reservation;
    try {
      reservation = pool.reserve();
    } catch (AcquireTimeoutException e) {
      return false;
    }
    Stamps.fill(reservation.allocate(1 + stamp * 777 % SIZE), stamp, 0);
    tickets.add(reservation.seal());
    return consumer.child().offer(TicketPeerMain.line(stamp, tickets.getLast()));
  }
}
