package dev.holdfast.stress;

import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.HeapWords;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * The reader's book while a thread admits units and others release them, in every interleaving that
 * the model checker tries: each unit is released once, and when all is quiet the shared count
 * stands behind the released units and before the first that is not.
 */
@Param(name = "unit", gen = IntGen.class, conf = "0:3")
public class LedgerModelTest {
  private static final int UNITS = 4;
  private static final UUID ARENA = new UUID(1, 2);

  private final ArenaWords words = new ArenaWords(new HeapWords(ArenaLayout.HEADER_BYTES), 0);
  private final UnitLedger ledger;
  private final AtomicReferenceArray<UnitRecord> records = new AtomicReferenceArray<>(UNITS);
  private final boolean[] released = new boolean[UNITS];
  private int admitted;

  public LedgerModelTest() {
    words.setPublishedRelease(UNITS);
    ledger = new UnitLedger(ARENA, words, new OneSegment(UNITS), 0);
  }

  @Operation(nonParallelGroup = "channel")
  public int admit() {
    if (admitted == UNITS) {
      return -1;
    }
    records.set(admitted, ledger.admit(new UnitReceipt(ARENA, 0, admitted, 0)));
    return admitted++;
  }

  /** Returns whether the unit was there, and nobody had released it. */
  @Operation
  public boolean release(@Param(name = "unit") int unit) {
    UnitRecord record = records.getAndSet(unit, null);
    if (record == null || !record.take()) {
      return false;
    }
    record.retire();
    released[unit] = true;
    return true;
  }

  @Validate
  public void countStandsBeforeTheFirstUnitThatIsNotReleased() {
    int expected = 0;
    while (expected < UNITS && released[expected]) {
      expected++;
    }
    if (words.reclaimedAcquire() != expected) {
      throw new AssertionError(
          "reclaimed=" + words.reclaimedAcquire() + " released up to " + expected);
    }
  }

  @Test
  void everyInterleavingGivesEachUnitBackOnce() {
    Interleavings.check(getClass(), new ModelCheckingOptions());
  }
}
