package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.events.UnitPublishedEvent;
import dev.holdfast.arena.internal.events.UnitWaitEvent;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Nanos;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.BulkCopy;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.wait.WaitPoint;
import dev.holdfast.arena.internal.wait.Waiting;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * The writer of a pool: a unit takes the next segment, binaries start on 64-byte boundaries in it.
 */
public final class PoolWriter implements ArenaWriter, WaitPoint {
  /** Where binaries start: a cache line, and what vector loads want. */
  private static final long ALIGNMENT = 64;

  private final Object keptOpen;
  private final ArenaCore core;
  private final ArenaWords words;
  private final long segments;
  private final long segmentSize;
  private final long acquireTimeoutNanos;

  private Runnable whileWaiting = () -> {};
  private long unit;
  private long cursor;
  private boolean open;
  private boolean closed;

  /**
   * Claims the writer.
   *
   * @param handle the arena object, kept reachable and so open as long as this writer
   * @param core the arena
   * @param acquireTimeout how long to wait for a segment
   */
  public PoolWriter(Object handle, ArenaCore core, Duration acquireTimeout) {
    this.keptOpen = handle;
    this.core = core;
    this.words = core.words();
    this.segments = core.geometry().segments();
    this.segmentSize = core.geometry().unitBytes();
    this.acquireTimeoutNanos = Nanos.of(acquireTimeout);
    core.enter();
    try {
      core.claim(Side.WRITER, Claim.Use.STREAMS);
      this.unit = firstUnit(core);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private static long firstUnit(ArenaCore core) {
    try {
      ArenaWords words = core.words();
      long published = words.publishedAcquire();
      var _ =
          words.checkedReclaimed(words.reclaimedAcquire(), published, core.geometry().segments());
      return published;
    } catch (RuntimeException | Error e) {
      core.giveBack(Side.WRITER);
      throw e;
    }
  }

  @Override
  public void reset() {
    requireNotClosed();
    abortUnit();
  }

  @Override
  public void whileWaiting(Runnable check) {
    whileWaiting = check;
  }

  @Override
  public void beginUnit() {
    requireNotClosed();
    if (open) {
      throw new IllegalStateException("a unit is open already: unit=" + unit);
    }
    core.enter();
    try {
      if (!ready()) {
        waitForSegment();
      }
      cursor = 0;
      open = true;
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_BEGUN.reach();
      }
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private void waitForSegment() {
    core.requireOpenForWaiting();
    if (FaultPoint.ENABLED) {
      FaultPoint.WAITING_FOR_SPACE.reach();
    }
    UnitWaitEvent event = new UnitWaitEvent();
    event.begin();
    long start = System.nanoTime();
    try {
      boolean free =
          acquireTimeoutNanos > 0 && Waiting.await(this, acquireTimeoutNanos, this::lookAround);
      if (!free) {
        throw timeout(System.nanoTime() - start);
      }
    } finally {
      core.waited(System.nanoTime() - start);
      event.arena = core.geometry().arenaId().toString();
      event.unit = unit;
      event.commit();
    }
  }

  private void lookAround() {
    core.requireOpenForWaiting();
    whileWaiting.run();
  }

  private AcquireTimeoutException timeout(long waitedNanos) {
    FailureDetail detail =
        FailureDetail.of("no segment became free")
            .with("waitedFor", "free segment")
            .with("waitedMillis", waitedNanos / 1_000_000)
            .with("arena", core.geometry().arenaId())
            .with("segments", segments);
    return new AcquireTimeoutException(
        Holders.describe(words, segments, detail)
            .advise(
                "release units sooner, or make count larger than the units held plus the prefetch"));
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    requireUnit();
    long offset = ArenaLayout.roundUp(cursor, ALIGNMENT);
    long byteSize = source.byteSize();
    if (byteSize == 0) {
      return new Placement(Math.min(offset, cursor), 0);
    }
    if (offset > segmentSize || byteSize > segmentSize - offset) {
      throw tooLarge(offset, byteSize);
    }
    core.enter();
    try {
      MemorySegment target = segment().asSlice(offset, byteSize);
      BulkCopy.copy(source, target);
      cursor = offset + byteSize;
      return new Placement(offset, byteSize);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private UnitTooLargeException tooLarge(long offset, long byteSize) {
    return new UnitTooLargeException(
        FailureDetail.of("the unit does not fit a segment")
            .with("bytesAsked", offset + byteSize)
            .with("segmentSize", segmentSize)
            .with("binaryBytes", byteSize)
            .with("arena", core.geometry().arenaId())
            .advise(
                "make the segments larger, or the units smaller; each binary starts at a multiple of 64"));
  }

  @Override
  public UnitReceipt commitUnit() {
    requireUnit();
    core.enter();
    try {
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_COPIED.reach();
        if (cursor > 0 && FaultPoint.UNIT_FLIP_BYTE.fires()) {
          MemorySegment bytes = segment();
          long middle =
              Math.min(cursor - 1, (cursor / 2) | 3); // of a float the byte that counts most
          byte flipped = (byte) ~bytes.get(ValueLayout.JAVA_BYTE, middle);
          bytes.set(ValueLayout.JAVA_BYTE, middle, flipped);
        }
      }
      publishedEvent(); // ahead, since nothing may throw once the unit is published
      UnitReceipt receipt;
      synchronized (core.publication()) { // a takeover of the reader sees both or neither
        receipt =
            new UnitReceipt(core.geometry().arenaId(), words.generationAcquire(), unit, cursor);
        words.setPublishedRelease(unit + 1);
      }
      unit++;
      open = false;
      return receipt;
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private void publishedEvent() {
    UnitPublishedEvent event = new UnitPublishedEvent();
    if (event.isEnabled()) {
      event.arena = core.geometry().arenaId().toString();
      event.unit = unit;
      event.bytes = cursor;
      event.commit();
    }
  }

  @Override
  public void abortUnit() {
    open = false;
  }

  @Override
  public long published() {
    return unit;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    open = false;
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

  @Override
  public boolean ready() {
    return unit - words.checkedReclaimed(words.reclaimedVolatile(), unit, segments) < segments;
  }

  @Override
  public void announce(boolean waiting) {
    words.setWriterWaitingVolatile(waiting);
  }

  @Override
  public SharedWords words() {
    return words.shared();
  }

  @Override
  public long signalOffset() {
    return ArenaLayout.SPACE_SIGNAL_OFFSET;
  }

  @Override
  public boolean retain() {
    return core.mapping().retain();
  }

  @Override
  public void release() {
    core.mapping().release();
  }

  private MemorySegment segment() {
    return core.data(unit % segments * core.geometry().stride(), segmentSize);
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
