package dev.holdfast.arena.internal.life;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One admitted unit in its arena. When its last owner has retired, the ledger advances over it as
 * soon as all units before it are released too.
 */
public final class UnitRecord extends Owned {
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(UnitRecord.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int ADMITTED = 0;
  private static final int TAKEN = 1;

  private final UnitLedger ledger;
  private final long unit;
  private final long start;
  private long span; // of a ticket: set when it is taken
  private TicketRefusal secondUse = TicketRefusal.STALE; // of a ticket; guarded by the ledger

  private volatile int state = ADMITTED;
  private volatile boolean released;
  private volatile @Nullable UnitRecord next;

  UnitRecord(UnitLedger ledger, long unit, long start, long span) {
    this.ledger = ledger;
    this.unit = unit;
    this.start = start;
    this.span = span;
  }

  /** Makes the record of a number whose ticket is somewhere else, or not sealed yet. */
  UnitRecord(UnitLedger ledger, long unit) {
    super(HolderKind.TICKET);
    this.ledger = ledger;
    this.unit = unit;
    this.start = 0;
    this.span = 0;
  }

  @Override
  public long unit() {
    return unit;
  }

  /** Returns where the unit's bytes begin, counted as its ledger does. */
  public long start() {
    return start;
  }

  /** Returns how many bytes it takes. */
  public long span() {
    return span;
  }

  /** Returns where the unit's bytes end, counted as its ledger does. */
  public long end() {
    return start + span;
  }

  /** Takes the unit for opening or discarding; of two calls one wins. */
  public boolean take() {
    return STATE.compareAndSet(this, ADMITTED, TAKEN);
  }

  boolean isTaken() {
    return state == TAKEN;
  }

  /** Takes a ticket's unit. Called once, under the ledger's lock. */
  void takeTicket(long newSpan, TicketRefusal newSecondUse) {
    span = newSpan;
    secondUse = newSecondUse;
    state = TAKEN;
  }

  /** Returns what the next use of the ticket is refused as, once it was taken. */
  TicketRefusal secondUse() {
    return secondUse;
  }

  /** Notes that a former reader took and released the unit. */
  void goneBefore() {
    state = TAKEN;
    released = true;
  }

  @Override
  protected String arena() {
    return ledger.arena();
  }

  @Override
  protected void holding(HolderKind newKind, long sinceMillis) {
    ledger.setHolding(this, newKind, sinceMillis);
  }

  @Override
  protected void released() {
    try {
      ledger.setHolding(this, HolderKind.NONE, 0);
    } finally {
      released = true;
      ledger.released();
    }
  }

  @Override
  protected void leaked() {
    ledger.leaked();
  }

  boolean isReleased() {
    return released;
  }

  @Nullable UnitRecord next() {
    return next;
  }

  void link(UnitRecord newNext) {
    next = newNext;
  }
}
