package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class UnitLedgerTest {
  private static final int SEGMENTS = 500;

  private final UUID arena = UUID.randomUUID();
  private final ArenaWords words =
      new ArenaWords(new HeapWords(ArenaLayout.dataOffset(SEGMENTS, 4096)), SEGMENTS);
  private final CountingStorage storage = new CountingStorage();
  private final UnitLedger ledger = new UnitLedger(arena, words, storage, 0);

  private static final class CountingStorage implements UnitLedger.Storage {
    final AtomicInteger memory = new AtomicInteger();
    final AtomicInteger drains = new AtomicInteger();

    @Override
    public long mostOutstanding() {
      return SEGMENTS;
    }

    @Override
    public long startOf(UnitReceipt receipt, long previousEnd) {
      return 0;
    }

    @Override
    public void returned(UnitRecord lastReleased) {}

    @Override
    public void holding(UnitRecord unit, HolderKind kind, long sinceMillis) {}

    @Override
    public void retainMemory() {
      memory.incrementAndGet();
    }

    @Override
    public void releaseMemory() {
      memory.decrementAndGet();
    }

    @Override
    public void drained() {
      drains.incrementAndGet();
    }
  }

  private UnitReceipt receipt(long unit) {
    return new UnitReceipt(arena, words.generationAcquire(), unit, 7);
  }

  private UnitRecord admit(long unit) {
    words.setPublishedRelease(unit + 1);
    UnitReceipt receipt = receipt(unit);
    var _ = ledger.admit(receipt);
    return ledger.take(receipt);
  }

  @Test
  void laterUnitsReleasedFirstAdvanceNothingUntilTheOldestGoes() { // B93
    UnitRecord zero = admit(0);
    UnitRecord one = admit(1);
    UnitRecord two = admit(2);
    two.retire();
    one.retire();
    assertEquals(0, words.reclaimedAcquire());
    assertEquals(zero, ledger.oldest());
    zero.retire();
    assertEquals(3, words.reclaimedAcquire());
    assertNull(ledger.oldest());
    assertEquals(0, ledger.held());
    assertEquals(0, storage.memory.get());
  }

  @Test
  void ownerThatRetiresTwiceIsReported() {
    UnitRecord unit = admit(0);
    unit.retire();
    assertThrows(IllegalStateException.class, unit::retire);
    assertFalse(unit.retain());
  }

  @Test
  void receiptsOutOfOrderOrForeignChangeNothing() { // D6
    words.setPublishedRelease(10);
    for (UnitReceipt wrong :
        List.of(
            receipt(1),
            receipt(-1),
            receipt(Long.MAX_VALUE),
            new UnitReceipt(UUID.randomUUID(), 0, 0, 7),
            new UnitReceipt(arena, 1, 0, 7))) {
      assertThrows(ArenaCorruptedException.class, () -> ledger.admit(wrong));
    }
    words.setPublishedRelease(0);
    assertThrows(ArenaCorruptedException.class, () -> ledger.admit(receipt(0)));
    assertEquals(0, ledger.held());
    UnitRecord first = admit(0);
    assertEquals(0, first.unit());
    first.retire();
  }

  @Test
  void unitIsTakenOnceByOneOfTwo() {
    words.setPublishedRelease(1);
    var _ = ledger.admit(receipt(0));
    UnitRecord taken = ledger.take(receipt(0));
    assertThrows(IllegalStateException.class, () -> ledger.take(receipt(0)));
    taken.retire();
    assertThrows(IllegalStateException.class, () -> ledger.take(receipt(0)));
  }

  @Test
  void unitsOfADeadWriterThatNeverArrivedAreDiscarded() {
    UnitRecord held = admit(0);
    words.setPublishedRelease(4);
    words.setGenerationRelease(1, 4);
    ledger.writerReplaced();
    assertEquals(0, words.reclaimedAcquire());
    held.retire();
    assertEquals(4, words.reclaimedAcquire());
    admit(4).retire();
    assertEquals(5, words.reclaimedAcquire());
    assertEquals(0, storage.memory.get());
  }

  @Test
  void readerElsewhereLearnsOfANewGenerationFromItsFirstReceipt() {
    words.setPublishedRelease(3);
    words.setGenerationRelease(1, 2);
    var _ = ledger.admit(receipt(2));
    ledger.take(receipt(2)).retire();
    assertEquals(3, words.reclaimedAcquire());
  }

  @Test
  void generationThatCannotBeTrueIsRefused() {
    admit(0).retire();
    words.setPublishedRelease(2);
    words.setGenerationRelease(1, 0);
    assertThrows(ArenaCorruptedException.class, () -> ledger.admit(receipt(1)));
  }

  @Test
  void manyOutstandingUnitsAreAllFound() {
    List<UnitRecord> units = new ArrayList<>();
    for (long unit = 0; unit < SEGMENTS; unit++) {
      units.add(admit(unit));
    }
    Collections.shuffle(units, new Random(11));
    units.forEach(UnitRecord::retire);
    assertEquals(SEGMENTS, words.reclaimedAcquire());
  }

  @Test
  void closedBookIsDrainedOnceWhenTheLastUnitGoes() {
    UnitRecord unit = admit(0);
    ledger.close();
    assertEquals(0, storage.drains.get());
    assertThrows(IllegalStateException.class, () -> admit(1));
    unit.retire();
    assertEquals(1, storage.drains.get());
  }

  @Test
  void releasesFromManyThreadsAdvanceOverEveryUnitExactlyOnce() throws Exception { // R87
    int threads = 4;
    long next = 0;
    int rounds = Rounds.of(2_000);
    for (int round = 0; round < rounds; round++) {
      List<UnitRecord> units = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        units.add(admit(next++));
        assertTrue(units.getLast().retain());
      }
      List<FutureTask<Void>> releasers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int offset = thread;
        releasers.add(
            Deadlines.start(
                "releaser",
                () -> {
                  for (int i = offset / 2; i < units.size(); i += threads / 2) {
                    units.get(i).retire();
                  }
                  return null;
                }));
      }
      for (FutureTask<Void> releaser : releasers) {
        Deadlines.result(releaser);
      }
      assertEquals(next, words.reclaimedAcquire());
      assertEquals(0, storage.memory.get());
    }
  }
}
