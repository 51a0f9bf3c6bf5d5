package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.TicketNumber;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reservations and tickets of one pool in one process, however many pool objects name it. Either
 * side is claimed by its first call and kept until the pool is closed. Thread-safe.
 */
public final class Tickets implements ArenaCore.Attachment {
  private final ArenaCore core;
  private @Nullable TicketWriter writer; // guarded by this
  private @Nullable TicketReader reader; // guarded by this

  private Tickets(ArenaCore core) {
    this.core = core;
  }

  /** Returns the tickets of a pool. */
  public static Tickets of(ArenaCore core) {
    return (Tickets) core.attachment(Tickets::new);
  }

  /** See {@link dev.holdfast.arena.SharedMemorySegmentPool#reserve(ViewScope)}. */
  public Reservation reserve(Object keptOpen, ViewScope scope, Duration limit) {
    StackRoom.requireAround(1);
    core.enter();
    try {
      TicketWriter opened = writer();
      Reserved reserved = new ReservationTurn(core, opened).take(limit);
      return Reservation.open(keptOpen, core, opened, reserved, scope);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemorySegmentPool#recover}. */
  public TicketLease recover(
      TicketNumber ticket, ViewScope scope, boolean writable, @Nullable PagePinner pinner) {
    StackRoom.requireAround(1);
    core.enter();
    try {
      TicketReader opened = reader();
      if (pinner != null) {
        core.pin(pinner);
      }
      return opened.recover(ticket, scope, writable);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemorySegmentPool#discard}. */
  public void discard(TicketNumber ticket) {
    StackRoom.requireAround(1);
    core.enter();
    try {
      reader().discard(ticket);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private synchronized TicketWriter writer() {
    TicketWriter known = writer;
    if (known == null) {
      known = new TicketWriter(core);
      writer = known;
    }
    return known;
  }

  private synchronized TicketReader reader() {
    TicketReader known = reader;
    if (known == null) {
      known = new TicketReader(core);
      reader = known;
    }
    return known;
  }

  /** The reader's ledger is closed by the arena. */
  @Override
  public synchronized void arenaClosed() {
    if (writer != null) {
      writer.close();
    }
  }
}
