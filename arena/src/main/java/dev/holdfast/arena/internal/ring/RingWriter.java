package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.SpaceWait;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.events.UnitPublishedEvent;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * The writer of a ring: binaries follow each other without gaps, and each waits for its own space.
 *
 * <p>Bytes from {@code tail} to {@code head} are published and not given back, those from {@code
 * head} to {@code cursor} belong to the open unit, and the rest is free. Committing stores {@code
 * head} and then {@code published}, both with release: a reader that sees the number sees the head,
 * and one that sees the head sees the bytes. A writer that dies between the two stores leaves bytes
 * without a unit, which the owner discards at takeover.
 */
public final class RingWriter implements ArenaWriter {

  private final Object keptOpen;
  private final ArenaCore core;
  private final ArenaWords words;
  private final RingBytes ring;
  private final SpaceWait space;

  private long unit;
  private long head;
  private long cursor;
  private long needed;
  private boolean open;
  private boolean closed;

  /**
   * Claims the writer.
   *
   * @param handle the arena object, kept reachable and so open as long as this writer
   * @param core the arena
   * @param acquireTimeout how long to wait for space
   */
  public RingWriter(Object handle, ArenaCore core, Duration acquireTimeout) {
    this.keptOpen = handle;
    this.core = core;
    this.words = core.words();
    long capacity = core.geometry().unitBytes();
    this.space = new SpaceWait(core, acquireTimeout, this::hasSpace);
    core.enter();
    try {
      this.ring = new RingBytes(core.data(0, capacity), capacity);
      core.claim(Side.WRITER, Claim.Use.STREAMS);
      try {
        this.unit = words.publishedAcquire();
        this.head = words.headAcquire();
        this.cursor = head;
        var _ = words.checkedReclaimed(words.reclaimedAcquire(), unit, Long.MAX_VALUE);
        var _ = freeBytes();
      } catch (RuntimeException | Error e) {
        core.giveBack(Side.WRITER);
        throw e;
      }
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  @Override
  public void reset() {
    requireNotClosed();
    abortUnit();
  }

  @Override
  public void whileWaiting(Runnable check) {
    space.whileWaiting(check);
  }

  /** Never waits: a unit without binaries takes no space. */
  @Override
  public void beginUnit() {
    requireNotClosed();
    if (open) {
      throw new IllegalStateException("a unit is open already: unit=" + unit);
    }
    core.enter();
    try {
      cursor = head;
      open = true;
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_BEGUN.reach();
      }
    } finally {
      core.exit();
    }
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    requireUnit();
    long byteSize = source.byteSize();
    if (byteSize == 0) {
      return new Placement(ring.placeOf(cursor), 0);
    }
    if (byteSize > ring.capacity() - span()) {
      throw tooLarge(byteSize);
    }
    core.enter();
    try {
      needed = byteSize;
      space.await(unit, this::timeout);
      ring.write(cursor, source);
      Placement placement = new Placement(ring.placeOf(cursor), byteSize);
      cursor += byteSize;
      return placement;
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private long span() {
    return cursor - head;
  }

  /** Looks at the reader's word with volatile order. */
  private long freeBytes() {
    long tail = ArenaWords.checkedTail(words.tailVolatile(), head, ring.capacity());
    return ring.capacity() - (cursor - tail);
  }

  private boolean hasSpace() {
    return needed <= freeBytes();
  }

  private UnitTooLargeException tooLarge(long byteSize) {
    return new UnitTooLargeException(
        FailureDetail.of("the unit does not fit the ring")
            .with("bytesAsked", span() + byteSize)
            .with("capacity", ring.capacity())
            .with("binaryBytes", byteSize)
            .with("arena", core.geometry().arenaId())
            .advise("make the ring larger, or the units smaller"));
  }

  private AcquireTimeoutException timeout(long waitedNanos) {
    long reclaimed = words.checkedReclaimed(words.reclaimedAcquire(), unit, Long.MAX_VALUE);
    return new AcquireTimeoutException(
        FailureDetail.of("no space became free")
            .with("waitedFor", "space for a binary")
            .with("waitedMillis", waitedNanos / 1_000_000)
            .with("arena", core.geometry().arenaId())
            .with("neededBytes", needed)
            .with("freeBytes", freeBytes())
            .with("capacity", ring.capacity())
            .with("openUnitBytes", span())
            .with("unitsNotCopiedOut", unit - reclaimed)
            .advise(
                "open or discard units sooner, or make the ring larger than the units on their"
                    + " way"));
  }

  @Override
  public UnitReceipt commitUnit() {
    requireUnit();
    core.enter();
    try {
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_COPIED.reach();
        if (span() > 0 && FaultPoint.UNIT_FLIP_BYTE.fires()) {
          flipByte(head + Math.min(span() - 1, (span() / 2) | 3));
        }
      }
      publishedEvent(); // ahead, since nothing may throw once the unit is published
      UnitReceipt receipt = publish();
      unit++;
      head = cursor;
      open = false;
      return receipt;
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private UnitReceipt publish() {
    synchronized (core.publication()) {
      UnitReceipt receipt =
          new UnitReceipt(core.geometry().arenaId(), words.generationAcquire(), unit, span());
      words.setHeadRelease(cursor);
      if (FaultPoint.ENABLED) {
        FaultPoint.BETWEEN_HEAD_AND_PUBLISHED.reach();
      }
      words.setPublishedRelease(unit + 1);
      return receipt;
    }
  }

  private void flipByte(long number) {
    MemorySegment one = ring.run(number, 1);
    one.set(ValueLayout.JAVA_BYTE, 0, (byte) ~one.get(ValueLayout.JAVA_BYTE, 0));
  }

  private void publishedEvent() {
    if (!Recorder.isThere()) {
      return;
    }
    UnitPublishedEvent event = new UnitPublishedEvent();
    if (event.isEnabled()) {
      event.arena = core.geometry().arenaId().toString();
      event.unit = unit;
      event.bytes = span();
      event.commit();
    }
  }

  @Override
  public void abortUnit() {
    open = false;
    cursor = head;
  }

  @Override
  public long published() {
    return unit;
  }

  @Override
  public void close() {
    StackRoom.require();
    if (closed) {
      return;
    }
    closed = true; // an open unit goes with it: nobody sees bytes ahead of the stored head
    giveBack();
  }

  private void giveBack() {
    if (core.mapping().retain()) {
      try {
        core.giveBack(Side.WRITER);
      } catch (InternalError e) {
        throw core.fault(e);
      } finally {
        core.mapping().release();
      }
    }
  }

  private void requireUnit() {
    requireNotClosed();
    if (!open) {
      throw new IllegalStateException("no unit is open; call beginUnit first");
    }
  }

  private void requireNotClosed() {
    if (closed) {
      throw core.closedException("the writer is closed");
    }
  }

  @Override
  public String toString() {
    return "writer of " + keptOpen;
  }
}
