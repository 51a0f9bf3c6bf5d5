package dev.holdfast.acceptance.tickets;

import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.SerialText;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that reserves, seals and recovers as its parent tells it, one command a line. Each is
 * answered by a line that begins with {@code =}: {@code OK} and a result, or {@code FAILED}, the
 * exception's simple name and its message.
 */
final class TicketChild {
  private final List<ArenaReservation> reservations = new ArrayList<>();
  private final List<TicketLease> leases = new ArrayList<>();
  private final List<Long> stamps = new ArrayList<>();
  private SharedMemorySegmentPool pool;

  private TicketChild() {}

  public static void main(String[] arguments) {
    Parent.serve(new TicketChild()::run);
  }

  private String run(String[] words) {
    switch (words[0]) {
      case "attach" -> pool = SerialText.parse(SharedMemorySegmentPool.class, words[1]);
      case "reserve" -> {
        ArenaReservation reservation = pool.reserve();
        MemorySegment bytes = reservation.allocate(Long.parseLong(words[2]));
        Stamps.fill(bytes, Long.parseLong(words[1]), 0);
        reservations.add(reservation);
      }
      case "seal" -> {
        return SerialText.of(reservations.remove(Integer.parseInt(words[1])).seal());
      }
      case "abort" -> reservations.remove(Integer.parseInt(words[1])).close();
      case "recover" -> {
        ArenaTicket ticket = SerialText.parse(ArenaTicket.class, words[1]);
        leases.add(pool.recover(ticket, ViewScope.valueOf(words[3])));
        stamps.add(Long.parseLong(words[2]));
        verify();
      }
      case "discard" -> pool.discard(SerialText.parse(ArenaTicket.class, words[1]));
      case "verify" -> verify();
      case "release" -> {
        stamps.remove(Integer.parseInt(words[1]));
        leases.remove(Integer.parseInt(words[1])).close();
      }
      case "close" -> pool.close();
      default -> throw new IllegalArgumentException(words[0]);
    }
    return "";
  }

  private void verify() {
    for (int i = 0; i < leases.size(); i++) {
      Stamps.verify(leases.get(i).segment(), stamps.get(i), 0);
    }
  }
}
