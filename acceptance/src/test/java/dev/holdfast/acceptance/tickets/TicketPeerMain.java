package dev.holdfast.acceptance.tickets;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.SerialText;
import dev.holdfast.testkit.Stamps;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;

/**
 * A producer or consumer of tickets in a process that is going to be killed: {@code produce POOL
 * SEED BYTES} seals without an end, {@code consume POOL SEED} recovers and discards what its parent
 * sends and says what it has done.
 */
final class TicketPeerMain {
  /** How many reservations or leases it has open at most. */
  static final int OPEN = 2;

  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());

  private TicketPeerMain() {}

  public static void main(String[] arguments) {
    SharedMemorySegmentPool pool = SerialText.parse(SharedMemorySegmentPool.class, arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    Parent.say("ATTACHED");
    var _ = Parent.read();
    Parent.say("READY");
    if (arguments[0].equals("produce")) {
      produce(pool, random, Integer.parseInt(arguments[3]));
    } else {
      consume(pool, random);
    }
  }

  private record Filled(ArenaReservation reservation, long stamp) {}

  private static void produce(SharedMemorySegmentPool pool, Random random, int largest) {
    List<Filled> open = new ArrayList<>();
    long stamp = 0;
    while (true) {
      if (open.isEmpty() || (open.size() < OPEN && random.nextBoolean())) {
        ArenaReservation reservation = patiently(pool);
        Stamps.fill(reservation.allocate(1 + random.nextInt(largest)), stamp, 0);
        open.add(new Filled(reservation, stamp++));
        continue;
      }
      boolean oldest = stamp - open.getFirst().stamp() > OPEN; // or it stops itself
      Filled filled = open.remove(oldest ? 0 : random.nextInt(open.size()));
      if (random.nextInt(8) == 0) {
        filled.reservation().close();
      } else {
        Parent.say(line(filled.stamp(), filled.reservation().seal()));
      }
    }
  }

  private static ArenaReservation patiently(SharedMemorySegmentPool pool) {
    while (true) {
      try {
        return pool.reserve();
      } catch (AcquireTimeoutException e) {
        Thread.onSpinWait(); // until the parent uses a ticket or kills this process
      }
    }
  }

  private static void consume(SharedMemorySegmentPool pool, Random random) {
    List<TicketLease> leases = new ArrayList<>();
    while (true) {
      Told told = told(Parent.read());
      if (random.nextInt(4) == 0) {
        pool.discard(told.ticket());
      } else {
        TicketLease lease = pool.recover(told.ticket(), SCOPES.get(random.nextInt(SCOPES.size())));
        Stamps.verify(lease.segment(), told.stamp(), 0);
        leases.add(lease);
      }
      Parent.say("USED " + told.stamp() + " .");
      if (leases.size() > OPEN - 1 || random.nextBoolean()) {
        leases.forEach(TicketLease::close);
        leases.clear();
      }
    }
  }

  /** A ticket as a line; its end mark tells a whole line from one that a kill has cut. */
  static String line(long stamp, ArenaTicket ticket) {
    return "TICKET " + stamp + " " + SerialText.of(ticket) + " .";
  }

  /**
   * A ticket and what its bytes say.
   *
   * @param stamp what they say
   * @param ticket the ticket
   */
  record Told(long stamp, ArenaTicket ticket) {}

  /** Reads what a consumer has said, and finds nothing in a line that is none or was cut. */
  static OptionalInt used(String line) {
    return line.matches("USED \\d+ \\.")
        ? OptionalInt.of(Integer.parseInt(line.split(" ", -1)[1]))
        : OptionalInt.empty();
  }

  /** Reads a line, or returns null when it is none or was cut. */
  static Told told(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 4 || !words[3].equals(".")) {
      return null;
    }
    return new Told(Long.parseLong(words[1]), SerialText.parse(ArenaTicket.class, words[2]));
  }
}
