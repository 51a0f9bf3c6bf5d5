package dev.holdfast.stress;

import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;

/** Storage without bytes. */
public record OneSegment(long mostOutstanding) implements UnitLedger.Storage {
  @Override
  public long startOf(UnitReceipt receipt, long previousEnd) {
    return 0;
  }

  @Override
  public void returned(UnitRecord lastReleased) {}

  @Override
  public void holding(UnitRecord unit, HolderKind kind, long sinceMillis) {}

  @Override
  public void retainMemory() {}

  @Override
  public void releaseMemory() {}

  @Override
  public void drained() {}
}
