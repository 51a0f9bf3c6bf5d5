package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.HeapCopies;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.memory.Claim;
import java.util.concurrent.atomic.AtomicBoolean;

/** The reader of a pool: views alias the segments. */
public final class PoolReader implements ArenaReader {
  private final Object keptOpen;
  private final ArenaCore core;
  private final PoolStorage storage;
  private final UnitLedger ledger;
  private final boolean writableViews;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Claims the reader.
   *
   * @param handle the arena object, kept reachable and so open as long as this reader
   * @param core the arena
   * @param writableViews whether views can be written
   */
  public PoolReader(Object handle, ArenaCore core, boolean writableViews) {
    this.keptOpen = handle;
    this.core = core;
    this.writableViews = writableViews;
    core.enter();
    try {
      this.storage = new PoolStorage(core);
      core.claim(Side.READER, Claim.Use.STREAMS);
      this.ledger = openLedger(core, storage);
      core.readerOpened(ledger, storage);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private static UnitLedger openLedger(ArenaCore core, PoolStorage storage) {
    try {
      return new UnitLedger(core.geometry().arenaId(), core.words(), storage, 0);
    } catch (RuntimeException | Error e) {
      core.giveBack(Side.READER);
      throw e;
    }
  }

  /** Looks whether the writer was replaced: a new one may wait for what the old one left. */
  @Override
  public void reset() {
    requireOpen();
    core.enter();
    try {
      ledger.writerReplaced();
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  @Override
  public void admit(UnitReceipt receipt) {
    requireOpen();
    core.enter();
    try {
      var _ = ledger.admit(receipt);
      if (core.isClosed()) {
        ledger.discardUnopened(); // the close may have looked before this unit was there
      }
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  @Override
  public OpenUnit beginUnit(UnitReceipt receipt, ViewScope scope) {
    StackRoom.require();
    core.enter(); // what was admitted can be opened after the reader is closed, but not after the
    // arena is
    core.exit();
    UnitRecord unit = take(receipt);
    try {
      return PoolOpenUnit.of(core, storage, unit, scope, writableViews, FaultPoint.UNIT_OPENED);
    } catch (InternalError e) {
      throw core.fault(e);
    }
  }

  /** Takes a unit; one that a close has given back meanwhile is closed, and not opened before. */
  private UnitRecord take(UnitReceipt receipt) {
    try {
      return ledger.take(receipt);
    } catch (IllegalStateException e) {
      throw core.isClosed() ? core.closedException("the arena is closed") : e;
    }
  }

  @Override
  public void discard(UnitReceipt receipt) {
    if (core.isClosed()) {
      return; // closing has given back what nobody had opened
    }
    StackRoom.require();
    try {
      take(receipt).retire();
    } catch (ArenaClosedException e) {
      return; // closing was faster
    } catch (InternalError e) {
      throw core.fault(e);
    }
  }

  @Override
  public boolean zeroCopy() {
    return true;
  }

  @Override
  public boolean writableViews() {
    return writableViews;
  }

  @Override
  public boolean heapCopiesAdvised() {
    return HeapCopies.advised(core);
  }

  private void requireOpen() {
    if (closed.get()) {
      throw core.closedException("the reader is closed");
    }
  }

  @Override
  public void close() {
    StackRoom.require();
    if (closed.compareAndSet(false, true) && core.mapping().retain()) {
      try {
        ledger.close();
      } catch (InternalError e) {
        throw core.fault(e);
      } finally {
        core.mapping().release();
      }
    }
  }

  @Override
  public String toString() {
    return "reader of " + keptOpen;
  }
}
