package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.HeapCopies;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.output.OutputAllocator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a ring: views are of private copies, and a unit's span goes back when its restore
 * ends.
 */
public final class RingReader implements ArenaReader {
  private final Object keptOpen;
  private final ArenaCore core;
  private final UnitLedger ledger;
  private final OutputAllocator outputs;
  private final RingBytes bytes;
  private final boolean writableViews;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Claims the reader.
   *
   * @param handle the arena object, kept reachable and so open as long as this reader
   * @param core the arena
   * @param writableViews whether views can be written
   * @param maxRetainedBytes the most bytes of idle copies that are kept for use
   * @param pinner page-locks the copies, or null
   */
  public RingReader(
      Object handle,
      ArenaCore core,
      boolean writableViews,
      long maxRetainedBytes,
      @Nullable PagePinner pinner) {
    this.keptOpen = handle;
    this.core = core;
    this.writableViews = writableViews;
    long capacity = core.geometry().unitBytes();
    core.enter();
    try {
      this.bytes = new RingBytes(core.data(0, capacity), capacity);
      core.claim(Side.READER, Claim.Use.STREAMS);
      OutputAllocator former = core.outputs();
      this.outputs =
          former == null
              ? new OutputAllocator(maxRetainedBytes, pinner, core::outputsPressing)
              : former.reopen(pinner);
      this.ledger = openLedger(core, capacity);
      core.readerOpened(ledger, outputs);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private static UnitLedger openLedger(ArenaCore core, long capacity) {
    try {
      ArenaWords words = core.words();
      long tail = ArenaWords.checkedTail(words.tailVolatile(), words.headAcquire(), capacity);
      return new UnitLedger(core.geometry().arenaId(), words, new RingStorage(core), tail);
    } catch (RuntimeException | Error e) {
      core.giveBack(Side.READER);
      throw e;
    }
  }

  /**
   * Also looks whether the owner has replaced the writer, whose first unit may wait for its
   * predecessor's bytes.
   */
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
    boolean opened = false;
    try {
      unit.heldBy(HolderKind.RESTORE);
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_OPENED.reach();
      }
      OpenUnit open = new RingOpenUnit(core, bytes, outputs, unit, scope, writableViews);
      opened = true;
      return open;
    } finally {
      if (!opened) {
        unit.retire(); // nobody else has it
      }
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
    return false;
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
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      outputs.close();
    } finally {
      closeLedger();
    }
  }

  private void closeLedger() {
    if (core.mapping().retain()) {
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
