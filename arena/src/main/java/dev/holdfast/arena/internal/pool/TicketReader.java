package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.TicketNumber;
import dev.holdfast.arena.internal.life.TicketRefusal;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.memory.Claim;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The reading side of a pool that serves tickets. One per process; thread-safe. It is closed with
 * the arena, by its ledger.
 */
final class TicketReader {
  private final ArenaCore core;
  private final PoolStorage storage;
  private final UnitLedger ledger;

  /** Claims the reader; the caller is inside a call of the arena. */
  TicketReader(ArenaCore core) {
    this.core = core;
    this.storage = new PoolStorage(core);
    core.claim(Side.READER, Claim.Use.TICKETS);
    try {
      PoolUse.require(core, Claim.Use.TICKETS);
      this.ledger = UnitLedger.ofTickets(core.geometry().arenaId(), core.words(), storage);
    } catch (RuntimeException | Error e) {
      core.giveBack(Side.READER);
      throw e;
    }
    core.readerOpened(ledger, storage);
  }

  TicketLease recover(TicketNumber ticket, ViewScope scope, boolean writable) {
    UnitRecord unit = take(ticket, TicketRefusal.RECOVERED);
    PoolOpenUnit open =
        PoolOpenUnit.of(core, storage, unit, scope, writable, FaultPoint.TICKET_TAKEN);
    MemorySegment view;
    try {
      view = open.readBinary(0, ticket.span());
    } catch (RuntimeException | Error e) {
      open.endUnit(List.of()).close(); // the ticket is used up, its segment comes back
      throw e;
    }
    return new RecoveredLease(open.endUnit(List.of()), view);
  }

  void discard(TicketNumber ticket) {
    take(ticket, TicketRefusal.DISCARDED).retire();
  }

  private UnitRecord take(TicketNumber ticket, TicketRefusal secondUse) {
    if (ticket.span() < 0 || ticket.span() > core.geometry().unitBytes()) {
      throw TicketRefusal.FORGED.of(core.geometry().arenaId(), ticket);
    }
    try {
      return ledger.takeTicket(ticket, secondUse);
    } catch (IllegalStateException e) {
      throw core.isClosed() ? core.closedException("the arena is closed") : e;
    }
  }
}
