package dev.holdfast.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.testkit.Stamps;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** A pool that serves tickets in this process. */
final class TicketRig implements AutoCloseable {
  static final int SIZE = 10_000;

  final SharedMemorySegmentPool pool;

  TicketRig(int count) {
    this(count, Duration.ZERO);
  }

  TicketRig(int count, Duration acquireTimeout) {
    this(SharedMemorySegmentPool.builder(SIZE, count).acquireTimeout(acquireTimeout));
  }

  TicketRig(SharedMemorySegmentPool.Builder builder) {
    this.pool = builder.build();
  }

  /** Seals a unit that is stamped all over. */
  ArenaTicket seal(long stamp) {
    return seal(stamp, SIZE);
  }

  ArenaTicket seal(long stamp, long byteSize) {
    try (ArenaReservation reservation = pool.reserve()) {
      Stamps.fill(reservation.allocate(byteSize), stamp, 0);
      return reservation.seal();
    }
  }

  /** Recovers a ticket, checks its bytes and closes the lease. */
  void check(ArenaTicket ticket, long stamp) {
    try (TicketLease lease = pool.recover(ticket)) {
      verify(lease, stamp);
    }
  }

  static void verify(TicketLease lease, long stamp) {
    Stamps.verify(lease.segment(), stamp, 0);
  }

  /** Uses a ticket in both ways, which must be refused. */
  void assertRefused(String reason, ArenaTicket ticket) {
    ArenaStats before = pool.stats();
    for (TicketException e :
        new TicketException[] {
          assertThrows(TicketException.class, () -> pool.recover(ticket)),
          assertThrows(TicketException.class, () -> pool.discard(ticket))
        }) {
      assertEquals(reason, e.facts().get("reason"), e::getMessage);
    }
    assertEquals(before.held(), pool.stats().held());
    assertEquals(before.reclaimed(), pool.stats().reclaimed());
  }

  static byte[] bytes(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static ArenaTicket ticket(byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (ArenaTicket) in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isAccessible(MemorySegment view) {
    return view.scope().isAlive();
  }

  @Override
  public void close() {
    pool.close();
    pool.unlink();
  }
}
