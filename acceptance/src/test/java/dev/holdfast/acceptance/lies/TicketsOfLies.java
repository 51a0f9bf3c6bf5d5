package dev.holdfast.acceptance.lies;

import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.TicketLease;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Uses a pool for tickets while its words lie. */
final class TicketsOfLies {
  private final SharedMemorySegmentPool pool;
  private final Lies lies;
  private final Random random;
  private final List<ArenaReservation> reservations = new ArrayList<>();
  private final List<ArenaTicket> tickets = new ArrayList<>();
  private final List<TicketLease> leases = new ArrayList<>();

  TicketsOfLies(SharedMemorySegmentPool pool, Lies lies, Random random) {
    this.pool = pool;
    this.lies = lies;
    this.random = random;
  }

  void run(int calls) {
    for (int i = 0; i < calls; i++) {
      if (random.nextInt(4) == 0) {
        lies.tell();
      }
      one();
    }
    reservations.forEach(one -> lies.call("close a reservation", one::close));
    leases.forEach(one -> lies.call("close a lease", one::close));
    lies.call("close", pool::close);
    lies.call("unlink", pool::unlink);
  }

  private void one() {
    switch (random.nextInt(9)) {
      case 0, 1 -> lies.call("reserve", () -> reservations.add(pool.reserve()));
      case 2, 3 -> seal();
      case 4, 5 -> take();
      case 6 -> lies.call("stats", () -> pool.stats());
      case 7 ->
          lies.call(
              "takeOver", () -> pool.takeOver(random.nextBoolean() ? Side.READER : Side.WRITER));
      default -> {
        if (!leases.isEmpty()) {
          lies.call("close a lease", leases.removeFirst()::close);
        }
      }
    }
  }

  private void seal() {
    if (!reservations.isEmpty()) {
      ArenaReservation reservation = reservations.removeFirst();
      lies.call("allocate", () -> reservation.allocate(1 + random.nextInt(200)).fill((byte) 1));
      lies.call("seal", () -> tickets.add(reservation.seal()));
      lies.call("close a reservation", reservation::close);
    }
  }

  private void take() {
    if (!tickets.isEmpty()) {
      ArenaTicket ticket = tickets.get(random.nextInt(tickets.size()));
      if (random.nextInt(3) == 0) {
        lies.call("discard", () -> pool.discard(ticket));
      } else {
        lies.call("recover", () -> leases.add(pool.recover(ticket)));
      }
    }
  }
}
