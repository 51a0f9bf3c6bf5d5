package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.SpaceWait;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.events.UnitPublishedEvent;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.BulkCopy;
import dev.holdfast.arena.internal.memory.Claim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a pool: a unit takes the next segment, binaries start on 64-byte boundaries in it.
 *
 * <p>What the producer filled in place is there already when the unit is committed: its views are
 * ended, and then the number is stored with release.
 */
public final class PoolWriter implements ArenaWriter {
  /** Where binaries start: a cache line, and what vector loads want. */
  private static final long ALIGNMENT = 64;

  /** Segments begin on pages in every process, and nothing more can be promised. */
  private static final long MOST_ALIGNMENT = 4096;

  private static final long FIRST_PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_PAUSE_NANOS = 50_000_000;

  private final Object keptOpen;
  private final ArenaCore core;
  private final ArenaWords words;
  private final long segments;
  private final long segmentSize;
  private final SpaceWait space;
  private final ProducerMemory filled;

  private long unit;
  private long cursor;
  private boolean open;
  private final GiveBackLater giveBackLater = new GiveBackLater();
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
    this.space = new SpaceWait(core, acquireTimeout, this::hasSegment);
    this.filled = new ProducerMemory(core);
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
    space.whileWaiting(check);
  }

  @Override
  public void beginUnit() {
    requireNotClosed();
    if (open) {
      throw new IllegalStateException("a unit is open already: unit=" + unit);
    }
    core.enter();
    try {
      if (!filled.abortedHasEnded()) {
        awaitEndOfAborted();
      }
      space.await(unit, this::timeout);
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

  private boolean hasSegment() {
    return unit - words.checkedReclaimed(words.reclaimedVolatile(), unit, segments) < segments;
  }

  /** Looks again and again, since nobody tells when a channel operation has ended. */
  private void awaitEndOfAborted() {
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    while (!filled.abortedHasEnded()) {
      space.lookAround();
      if (Thread.currentThread().isInterrupted()) {
        throw new HoldfastInterruptedException(
            FailureDetail.of("interrupted while memory of an aborted unit was in use")
                .with("unit", unit));
      }
      long waited = System.nanoTime() - start;
      if (waited >= space.limitNanos()) {
        throw new AcquireTimeoutException(
            FailureDetail.of("the memory of an aborted unit is still in use")
                .with("waitedFor", "end of a native call or a channel operation")
                .with("waitedMillis", waited / 1_000_000)
                .with("arena", core.geometry().arenaId())
                .with("unit", unit)
                .advise("end what reads or writes the memory before its item is sent"));
      }
      LockSupport.parkNanos(this, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
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
                "release units sooner, or make count larger than the units held plus the"
                    + " prefetch"));
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    requireUnit();
    long offset = ArenaLayout.roundUp(cursor, ALIGNMENT);
    long byteSize = source.byteSize();
    if (byteSize == 0) {
      return new Placement(Math.min(offset, cursor), 0);
    }
    requireFits(offset, byteSize);
    core.enter();
    try {
      MemorySegment target = segment().asSlice(offset, byteSize);
      BulkCopy.copyBinary(source, target);
      cursor = offset + byteSize;
      return new Placement(offset, byteSize);
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  @Override
  public boolean fillsInPlace() {
    return true;
  }

  @Override
  public MemorySegment allocate(long byteSize, long alignment, ViewScope scope) {
    requireUnit();
    if (byteSize < 0) {
      throw new IllegalArgumentException("byteSize must not be negative: byteSize=" + byteSize);
    }
    if (Long.bitCount(alignment) != 1 || alignment > MOST_ALIGNMENT) {
      throw new IllegalArgumentException(
          "alignment must be a power of two up to %d: alignment=%d"
              .formatted(MOST_ALIGNMENT, alignment));
    }
    long offset =
        byteSize == 0 ? cursor : ArenaLayout.roundUp(cursor, Math.max(alignment, ALIGNMENT));
    requireFits(offset, byteSize);
    core.enter();
    try {
      MemorySegment memory = filled.view(segment().asSlice(offset, byteSize), scope);
      cursor = offset + byteSize;
      return memory;
    } finally {
      core.exit();
    }
  }

  @Override
  public @Nullable Placement placementOf(MemorySegment bytes) {
    if (!open || !filled.holds(bytes)) {
      return null;
    }
    long offset = bytes.address() - segment().address();
    boolean allocated = offset >= 0 && bytes.byteSize() <= cursor - offset;
    return allocated ? new Placement(offset, bytes.byteSize()) : null;
  }

  private void requireFits(long offset, long byteSize) {
    if (offset > segmentSize || byteSize > segmentSize - offset) {
      throw new UnitTooLargeException(
          FailureDetail.of("the unit does not fit a segment")
              .with("bytesAsked", byteSize > Long.MAX_VALUE - offset ? byteSize : offset + byteSize)
              .with("segmentSize", segmentSize)
              .with("binaryBytes", byteSize)
              .with("arena", core.geometry().arenaId())
              .advise(
                  "make the segments larger, or the units smaller; each binary starts at a multiple"
                      + " of 64"));
    }
  }

  @Override
  public UnitReceipt commitUnit() {
    requireUnit();
    filled.requireOwner();
    core.enter();
    try {
      if (FaultPoint.ENABLED) {
        reachFaults();
      }
      endFilling();
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

  private void endFilling() {
    if (!filled.end()) {
      throw new IllegalStateException(
          FailureDetail.of("memory of the unit is in use by a native call or a channel operation")
              .with("arena", core.geometry().arenaId())
              .with("unit", unit)
              .advise("end what reads or writes the memory, then commit; or abort the unit")
              .message());
    }
  }

  private void reachFaults() {
    FaultPoint.UNIT_COPIED.reach();
    if (cursor > 0 && FaultPoint.UNIT_FLIP_BYTE.fires()) {
      MemorySegment bytes = segment();
      long middle = Math.min(cursor - 1, (cursor / 2) | 3); // of a float the byte that counts most
      byte flipped = (byte) ~bytes.get(ValueLayout.JAVA_BYTE, middle);
      bytes.set(ValueLayout.JAVA_BYTE, middle, flipped);
    }
  }

  private void publishedEvent() {
    if (!Recorder.isThere()) {
      return;
    }
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
    if (open) {
      filled.requireOwner();
      open = false;
      filled.abort();
    }
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
    if (open) {
      filled.requireOwner();
    }
    try {
      abortUnit();
    } finally {
      closed = true;
      giveBackWhenEnded();
    }
  }

  private void giveBackWhenEnded() {
    boolean ended = false;
    try {
      ended = filled.abortedHasEnded();
    } finally {
      if (!ended) {
        Closer.submit(giveBackLater);
      }
    }
    if (ended) {
      giveBack();
    }
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

  /** The next writer would use the segment that somebody may still write into. */
  private final class GiveBackLater extends Closer.Task {
    @Override
    protected boolean run() {
      if (!filled.abortedHasEnded()) {
        return false;
      }
      giveBack();
      return true;
    }
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
