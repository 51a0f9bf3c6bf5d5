package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;

/**
 * The bytes of a ring as the reader's book sees them: each unit begins where the one before it
 * ends.
 */
final class RingStorage implements UnitLedger.Storage {
  private boolean givenBack; // touched by the draining thread
  private final ArenaCore core;
  private final long capacity;

  RingStorage(ArenaCore core) {
    this.core = core;
    this.capacity = core.geometry().unitBytes();
  }

  /** Units without bytes are accepted by a full ring too. */
  @Override
  public long mostOutstanding() {
    return Long.MAX_VALUE;
  }

  @Override
  public long startOf(UnitReceipt receipt, long previousEnd) {
    long head = core.words().headAcquire();
    long ahead = head - previousEnd;
    boolean possible = head >= 0 && ahead >= 0 && ahead <= capacity;
    if (!possible || receipt.span() < 0 || receipt.span() > ahead) {
      throw new ArenaCorruptedException(
          FailureDetail.of("a receipt's span does not fit what is published")
              .with("arena", receipt.arenaId())
              .with("unit", receipt.unit())
              .with("span", receipt.span())
              .with("start", previousEnd)
              .with("head", head)
              .with("capacity", capacity));
    }
    return previousEnd;
  }

  @Override
  public long voidBytes(long previousEnd, long newStart) {
    if (newStart < previousEnd
        || newStart - previousEnd > capacity
        || newStart > core.words().headAcquire()) {
      throw new ArenaCorruptedException(
          FailureDetail.of("the generation of a ring cannot be true")
              .with("arena", core.geometry().arenaId())
              .with("expectedByte", previousEnd)
              .with("firstByte", newStart)
              .with("capacity", capacity));
    }
    return newStart - previousEnd;
  }

  @Override
  public void returned(UnitRecord lastReleased) {
    core.words().setTailVolatile(lastReleased.end());
  }

  /** A ring has no word for it: its units are held for as long as a copy takes. */
  @Override
  public void holding(UnitRecord unit, HolderKind kind, long sinceMillis) {}

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
    if (!givenBack) { // by the next time the side may be somebody else's
      givenBack = true;
      core.giveBack(Side.READER);
    }
  }
}
