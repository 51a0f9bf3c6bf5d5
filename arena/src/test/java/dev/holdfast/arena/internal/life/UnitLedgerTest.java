package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.TicketException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Rounds;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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
    boolean exhausted;
    volatile boolean heapIsFull;

    @Override
    public long mostOutstanding() {
      return SEGMENTS;
    }

    @Override
    public long startOf(UnitReceipt receipt, long previousEnd) {
      return 0;
    }

    @Override
    public void returned(UnitRecord lastReleased) {
      if (heapIsFull) {
        throw new OutOfMemoryError("of whoever drains");
      }
      if (exhausted) {
        exhausted = false;
        throw new StackOverflowError("of the thread that releases");
      }
    }

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
  void releaseThatFailsHalfWayIsMadeUpForByTheNextOne() {
    UnitRecord zero = admit(0);
    UnitRecord one = admit(1);
    storage.exhausted = true;
    assertThrows(StackOverflowError.class, zero::retire);
    one.retire();
    assertEquals(2, words.reclaimedAcquire());
  }

  @Test
  void releaseThatFailsHalfWayIsMadeUpForWithoutAnotherOneAndKeepsNoMemory() {
    Closer.start();
    UnitRecord zero = admit(0);
    storage.exhausted = true;
    assertThrows(StackOverflowError.class, zero::retire);
    Deadlines.assertEventually("the writer is told", () -> words.reclaimedAcquire() == 1);
    Deadlines.assertEventually("nothing keeps the memory", () -> storage.memory.get() == 0);
  }

  @Test
  void drainsThatGoOnFailingLoseNothingAndDelayNoOtherTaskOfTheCloser() throws Exception {
    Closer.start();
    storage.heapIsFull = true;
    for (int unit = 0; unit < 100; unit++) {
      retireWithoutHeap(admit(unit));
      Thread.sleep(1); // while the closer tries, and fails too
    }
    assertEquals(0, words.reclaimedAcquire(), "all have failed");
    CountDownLatch other = new CountDownLatch(1);
    Closer.submit(
        new Closer.Task() {
          @Override
          protected boolean run() {
            other.countDown();
            return true;
          }
        });
    assertTrue(other.await(60, TimeUnit.SECONDS), "another task of the closer has run");
    storage.heapIsFull = false;
    Deadlines.assertEventually("all are given back", () -> words.reclaimedAcquire() == 100);
    Deadlines.assertEventually("nothing keeps the memory", () -> storage.memory.get() == 0);
  }

  /** It fails, unless the closer is just at it and fails in its place. */
  private static void retireWithoutHeap(UnitRecord unit) {
    try {
      unit.retire();
    } catch (OutOfMemoryError e) {
      return; // as it should, and the closer makes up for it
    }
  }

  @Test
  void unitThatCannotBeGivenBackKeepsNoOtherWhenTheBookIsClosed() {
    for (int unit = 0; unit < 3; unit++) {
      words.setPublishedRelease(unit + 1);
      var _ = ledger.admit(receipt(unit));
    }
    storage.exhausted = true; // for the first of them
    assertThrows(StackOverflowError.class, ledger::discardUnopened);
    assertEquals(3, words.reclaimedAcquire());
    Deadlines.assertEventually("nothing keeps the memory", () -> storage.memory.get() == 0);
  }

  @Test
  void recordThatIsKeptAfterItsEndKeepsNoLaterOne() {
    UnitRecord kept = admit(0);
    kept.retire();
    WeakReference<UnitRecord> later = new WeakReference<>(releasedAt(1));
    for (int unit = 2; unit < SEGMENTS; unit++) {
      admit(unit).retire();
    }
    Deadlines.assertEventually(
        "the second record is gone",
        () -> {
          GcPressure.collect();
          return later.refersTo(null);
        });
    assertEquals(0, kept.unit());
    assertEquals(SEGMENTS, words.reclaimedAcquire());
  }

  private UnitRecord releasedAt(long unit) {
    UnitRecord record = admit(unit);
    record.retire();
    return record;
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

  private TicketNumber seal(long unit, long key) {
    long segment = unit % SEGMENTS;
    words.setSealedSpanRelease(segment, 7);
    words.setSealedKeyRelease(segment, key);
    words.setSealedRelease(segment, unit + 1);
    return new TicketNumber(arena, unit, 7, key);
  }

  private static void refused(UnitLedger book, TicketNumber ticket, TicketRefusal reason) {
    TicketException e =
        assertThrows(TicketException.class, () -> book.takeTicket(ticket, TicketRefusal.RECOVERED));
    assertEquals(reason.name().toLowerCase(Locale.ROOT), e.facts().get("reason"));
  }

  @Test
  void nextReaderKnowsWhichTicketsWereTakenAndLeavesTheOthersGood() {
    List<TicketNumber> tickets = new ArrayList<>();
    for (int unit = 0; unit < 6; unit++) {
      tickets.add(seal(unit, 100 + unit));
    }
    words.setPublishedRelease(6);
    UnitLedger first = UnitLedger.ofTickets(arena, words, storage);
    first.takeTicket(tickets.get(0), TicketRefusal.RECOVERED).retire();
    first.takeTicket(tickets.get(4), TicketRefusal.DISCARDED).retire();
    UnitRecord held = first.takeTicket(tickets.get(2), TicketRefusal.RECOVERED);
    assertEquals(2, first.held()); // the one that is open, and the one that is behind it
    assertEquals(1, words.reclaimedAcquire());
    first.discardUnopened();
    first.close();
    assertEquals(0, storage.drains.get());
    held.retire();
    assertEquals(1, storage.drains.get());
    assertEquals(0, storage.memory.get());
    assertEquals(1, words.reclaimedAcquire());

    UnitLedger second = UnitLedger.ofTickets(arena, words, storage);
    for (int used : new int[] {0, 2, 4}) {
      refused(second, tickets.get(used), TicketRefusal.STALE);
    }
    second.takeTicket(tickets.get(1), TicketRefusal.RECOVERED).retire();
    assertEquals(3, words.reclaimedAcquire());
    second.takeTicket(tickets.get(5), TicketRefusal.RECOVERED).retire();
    second.takeTicket(tickets.get(3), TicketRefusal.RECOVERED).retire();
    assertEquals(6, words.reclaimedAcquire());
    second.close();
    assertEquals(2, storage.drains.get());
  }

  @Test
  void wordsOfTicketsThatCannotBeTrueGiveNothingAway() {
    Random random = new Random(7);
    UnitLedger book = UnitLedger.ofTickets(arena, words, storage);
    for (int i = 0; i < 5_000; i++) {
      long segment = random.nextInt(SEGMENTS);
      words.setSealedRelease(segment, random.nextBoolean() ? random.nextLong() : segment + 1);
      words.setSealedSpanRelease(segment, 7);
      words.setTakenRelease(segment, random.nextLong());
      long unit = random.nextBoolean() ? random.nextLong() : segment;
      TicketNumber guess = new TicketNumber(arena, unit, 7, 1 + random.nextInt(9));
      refused(book, guess, TicketRefusal.FORGED);
    }
    assertEquals(0, book.held());
    assertEquals(0, words.reclaimedAcquire());
    book.close();
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
