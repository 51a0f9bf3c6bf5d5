package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.Holds;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a pool as the reader's book and the holds see them: unit {@code i} lies in
 * segment {@code i mod count}.
 */
final class PoolStorage implements UnitLedger.Storage, Holds.Storage {
  private boolean givenBack; // touched by the draining thread
  private final ArenaCore core;
  private final long segments;
  private final long stride;
  private final MemorySegment data;
  private final AtomicReferenceArray<@Nullable UnitRecord> bySegment;

  PoolStorage(ArenaCore core) {
    this.core = core;
    this.segments = core.geometry().segments();
    this.stride = core.geometry().stride();
    this.data = core.data(0, core.geometry().dataBytes());
    this.bySegment = new AtomicReferenceArray<>(Math.toIntExact(segments));
  }

  long segmentOf(long unit) {
    return unit % segments;
  }

  /** Returns a range of a unit's segment, in the global scope. */
  MemorySegment bytes(UnitRecord unit, long offset, long byteSize) {
    return data.asSlice(segmentOf(unit.unit()) * stride + offset, byteSize);
  }

  void opened(UnitRecord unit) {
    bySegment.set((int) segmentOf(unit.unit()), unit);
  }

  @Override
  public long mostOutstanding() {
    return segments;
  }

  @Override
  public long startOf(UnitReceipt receipt, long previousEnd) {
    if (receipt.span() < 0 || receipt.span() > core.geometry().unitBytes()) {
      throw new ArenaCorruptedException(
          FailureDetail.of("a receipt's span does not fit the segment")
              .with("arena", receipt.arenaId())
              .with("unit", receipt.unit())
              .with("span", receipt.span())
              .with("segmentSize", core.geometry().unitBytes()));
    }
    return 0;
  }

  @Override
  public void returned(UnitRecord lastReleased) {}

  @Override
  public void holding(UnitRecord unit, HolderKind kind, long sinceMillis) {
    core.words()
        .setHoldingRelease(
            segmentOf(unit.unit()), kind == HolderKind.NONE ? 0 : kind.encode(sinceMillis));
  }

  @Override
  public void retainMemory() {
    if (!core.mapping().retain()) {
      throw core.closedException("the arena is closed");
    }
  }

  @Override
  public void releaseMemory() {
    core.mapping().release();
  }

  @Override
  public void drained() {
    try {
      Holds.unregister(this);
    } finally {
      if (!givenBack) { // by the next time the side may be somebody else's
        givenBack = true;
        core.giveBack(Side.READER);
      }
    }
  }

  @Override
  public MemorySegment memory() {
    return data;
  }

  @Override
  public @Nullable Owned ownerAt(long address) {
    return bySegment.get((int) ((address - data.address()) / stride));
  }
}
