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
  private final long span;

  private volatile int state = ADMITTED;
  private volatile boolean released;
  private volatile @Nullable UnitRecord next;

  UnitRecord(UnitLedger ledger, long unit, long start, long span) {
    this.ledger = ledger;
    this.unit = unit;
    this.start = start;
    this.span = span;
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
    ledger.setHolding(this, HolderKind.NONE, 0);
    released = true;
    ledger.released();
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
