package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.memory.ArenaWords;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The reader's book of units: which were admitted, and how far all are released.
 *
 * <p>Admitted units form a linked list in the order of their numbers. Admitting appends at its end,
 * under this object's lock. Releasing marks a record and then drains: whoever finds nobody draining
 * walks from the head over released records, stores the new {@code reclaimed}, and signals the
 * writer. A counter of pending drains (taken from zero by the one who drains, looked at again
 * before it leaves) makes sure that one thread at a time walks and stores, so that the shared word
 * has one writing thread and only grows, while nobody waits: a release that comes during a drain
 * leaves its work to that drain. Records are found by number in a table whose size is a power of
 * two; it grows when the place of a new record belongs to one that is not released.
 *
 * <p>Units that a dead writer published and nobody admitted, and bytes that it stored ahead of its
 * last number, become one void record, which carries the number of the last of those units (or of
 * the unit before, when there is none) and is given back in its turn.
 */
public final class UnitLedger {

  /** What differs between the arenas. */
  public interface Storage {
    /** Returns the most units that can be outstanding. */
    long mostOutstanding();

    /** Checks a receipt's span and returns where the unit begins. */
    long startOf(UnitReceipt receipt, long previousEnd);

    /**
     * Returns how many bytes a dead writer has left behind the last unit that was admitted: none in
     * a pool.
     *
     * @param previousEnd where that unit ends
     * @param newStart where the new writer begins, as shared memory says
     */
    default long voidBytes(long previousEnd, long newStart) {
      return 0;
    }

    /**
     * Stores what else is returned with units, before {@code reclaimed} is stored; {@code end} is a
     * ring's tail.
     */
    void returned(UnitRecord lastReleased);

    /** Notes who holds a unit. */
    void holding(UnitRecord unit, HolderKind kind, long sinceMillis);

    /** A unit was admitted: it keeps the memory mapped. */
    void retainMemory();

    /** A unit was released. */
    void releaseMemory();

    /** The reader is closed and the last unit is released. Called once. */
    void drained();
  }

  private static final int FIRST_TABLE = 64;
  private static final int LARGEST_TABLE = 1 << 26;

  private final UUID arenaId;
  private final ArenaWords words;
  private final Storage storage;
  private final LongAdder leaks = new LongAdder();
  private final AtomicInteger pendingDrains = new AtomicInteger();

  private volatile UnitRecord[] table = new UnitRecord[FIRST_TABLE];
  private volatile UnitRecord newest; // written under this
  private volatile long nextUnit; // written under this
  private long generation; // guarded by this
  private boolean closed; // guarded by this
  private volatile boolean closing;

  private volatile UnitRecord retired; // written by the draining thread
  private boolean drained; // touched by the draining thread

  /** Begins a book at the words' {@code reclaimed}. */
  public UnitLedger(UUID arenaId, ArenaWords words, Storage storage, long reclaimedBytes) {
    this.arenaId = arenaId;
    this.words = words;
    this.storage = storage;
    this.nextUnit =
        words.checkedReclaimed(
            words.reclaimedAcquire(), words.publishedAcquire(), storage.mostOutstanding());
    UnitRecord before = new UnitRecord(this, nextUnit - 1, reclaimedBytes, 0);
    this.newest = before;
    this.retired = before;
    Generation now = Generation.read(words);
    this.generation = now.number;
    if (now.firstUnit > nextUnit || (now.firstUnit == nextUnit && now.firstByte > reclaimedBytes)) {
      skipTo(now); // its writer was replaced while nobody read
    }
  }

  /**
   * Admits the next unit.
   *
   * @throws ArenaCorruptedException when the receipt is not the next one expected; nothing has
   *     changed then
   */
  public synchronized UnitRecord admit(UnitReceipt receipt) {
    if (!receipt.arenaId().equals(arenaId)) {
      throw refused("the receipt belongs to another arena", receipt)
          .apply("expectedArena", arenaId);
    }
    enterGeneration();
    if (receipt.generation() != generation) {
      throw refused("the receipt is of another generation", receipt)
          .apply("expectedGeneration", generation);
    }
    if (receipt.unit() != nextUnit) {
      throw refused("the receipt is not the next one expected", receipt)
          .apply("expectedUnit", nextUnit);
    }
    long published = words.publishedAcquire();
    if (receipt.unit() >= published) {
      throw refused("the receipt names a unit that is not published", receipt)
          .apply("published", published);
    }
    long start = storage.startOf(receipt, newest.end());
    UnitRecord record = admitted(receipt.unit(), start, receipt.span());
    record.heldBy(HolderKind.PARCEL);
    if (FaultPoint.ENABLED) {
      FaultPoint.UNIT_ADMITTED.reach();
    }
    return record;
  }

  /** Returns the record of an admitted unit, taken for the caller alone. */
  public UnitRecord take(UnitReceipt receipt) {
    UnitRecord[] records = table;
    UnitRecord record = records[(int) (receipt.unit() & (records.length - 1))];
    if (record == null
        || record.unit() != receipt.unit()
        || record.span() != receipt.span()
        || !receipt.arenaId().equals(arenaId)) {
      throw new IllegalStateException(
          describe("the unit was not admitted here, or is gone", receipt).message());
    }
    if (!record.take()) {
      throw new IllegalStateException(
          describe("the unit was opened or discarded before", receipt).message());
    }
    return record;
  }

  /**
   * Looks whether the owner has replaced a dead writer: published units that were never admitted
   * are discarded then. Without this call the next admission looks.
   */
  public synchronized void writerReplaced() {
    if (!closed) {
      enterGeneration();
    }
  }

  /** Ends admission; the book is finished when the last unit is released. */
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closing = true;
    drain();
  }

  /**
   * Gives back what was admitted and never opened; the arena is closed, and nobody can open it any
   * more.
   */
  public void discardUnopened() {
    for (UnitRecord record = retired.next(); record != null; record = record.next()) {
      if (record.take()) {
        record.retire();
      }
    }
  }

  /** A unit was released. Allocates nothing, waits for nothing. */
  void released() {
    drain();
    storage.releaseMemory();
  }

  /** Returns how many admitted units are not given back. */
  public long held() {
    return Math.max(0, nextUnit - (retired.unit() + 1));
  }

  /** Returns the oldest unit that is not released, or null. */
  public @Nullable UnitRecord oldest() {
    UnitRecord record = retired.next();
    while (record != null && record.isReleased()) {
      record = record.next();
    }
    return record;
  }

  /** Returns how many leases were dropped without a close. */
  public long leaks() {
    return leaks.sum();
  }

  /** Returns how many leases wait for their scope's end. */
  public long closingLeases() {
    long count = 0;
    for (UnitRecord record = retired.next(); record != null; record = record.next()) {
      if (!record.isReleased() && record.kind() == HolderKind.CLOSING_LEASE) {
        count++;
      }
    }
    return count;
  }

  void leaked() {
    leaks.increment();
  }

  String arena() {
    return arenaId.toString();
  }

  void setHolding(UnitRecord record, HolderKind kind, long sinceMillis) {
    try {
      storage.holding(record, kind, sinceMillis);
      words.settle();
    } catch (InternalError e) {
      return; // the backing file was cut short: the word is for people, the endpoints report it
    }
  }

  /** What shared memory says of a generation, of one moment. */
  private record Generation(long number, long firstUnit, long firstByte) {
    static Generation read(ArenaWords words) {
      while (true) {
        long number = words.generationAcquire();
        Generation read =
            new Generation(number, words.generationStartAcquire(), words.generationHeadAcquire());
        if (words.generationAcquire() == number) {
          return read;
        }
      }
    }
  }

  private void enterGeneration() {
    if (words.generationAcquire() == generation) {
      return;
    }
    Generation now = Generation.read(words);
    if (now.number < generation
        || now.firstUnit < nextUnit
        || now.firstUnit - nextUnit > storage.mostOutstanding()
        || now.firstUnit > words.publishedAcquire()) {
      throw new ArenaCorruptedException(
          FailureDetail.of("the generation of an arena cannot be true")
              .with("generation", now.number)
              .with("firstUnit", now.firstUnit)
              .with("expectedUnit", nextUnit));
    }
    skipTo(now);
    generation = now.number;
  }

  private void skipTo(Generation now) {
    long bytes = storage.voidBytes(newest.end(), now.firstByte);
    if (now.firstUnit > nextUnit || bytes > 0) {
      UnitRecord nobodys = append(now.firstUnit - 1, newest.end(), bytes);
      if (nobodys.take()) {
        nobodys.retire();
      }
    }
  }

  private UnitRecord admitted(long unit, long start, long span) {
    makeRoom(unit);
    UnitRecord record = append(unit, start, span);
    UnitRecord[] records = table;
    records[(int) (unit & (records.length - 1))] = record;
    return record;
  }

  private UnitRecord append(long unit, long start, long span) {
    if (closed) {
      throw new IllegalStateException("the reader is closed: arena=" + arenaId);
    }
    UnitRecord record = new UnitRecord(this, unit, start, span);
    storage.retainMemory();
    newest.link(record);
    newest = record;
    nextUnit = unit + 1;
    return record;
  }

  private void makeRoom(long unit) {
    UnitRecord[] records = table;
    while (!isFree(records[(int) (unit & (records.length - 1))])) {
      if (records.length == LARGEST_TABLE) {
        throw new ArenaCorruptedException(
            FailureDetail.of("too many units are outstanding")
                .with("arena", arenaId)
                .with("unit", unit)
                .with("limit", LARGEST_TABLE));
      }
      UnitRecord[] larger = new UnitRecord[records.length * 2];
      for (UnitRecord record : records) {
        if (!isFree(record)) {
          larger[(int) (record.unit() & (larger.length - 1))] = record;
        }
      }
      records = larger;
      table = larger;
    }
  }

  private static boolean isFree(@Nullable UnitRecord record) {
    return record == null || record.isReleased();
  }

  private void drain() {
    if (pendingDrains.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      advance();
      seen = pendingDrains.addAndGet(-seen);
    } while (seen != 0);
  }

  private void advance() {
    boolean ending = closing; // before the list: a unit admitted ahead of the close is seen below
    UnitRecord last = retired;
    UnitRecord following = last.next();
    while (following != null && following.isReleased()) {
      last = following;
      following = last.next();
    }
    if (last != retired) {
      retired = last;
      publishReturned(last);
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_RELEASED.reach();
      }
    }
    if (ending && following == null && !drained) {
      drained = true;
      storage.drained();
    }
  }

  /** A release has nobody to tell that the backing file was cut short; the endpoints do. */
  private void publishReturned(UnitRecord last) {
    try {
      storage.returned(last);
      words.setReclaimedVolatile(last.unit() + 1);
      words.signalSpace();
      words.settle();
    } catch (InternalError e) {
      return;
    }
  }

  private interface Refusal {
    ArenaCorruptedException apply(String name, Object expected);
  }

  private Refusal refused(String what, UnitReceipt receipt) {
    return (name, expected) ->
        new ArenaCorruptedException(describe(what, receipt).with(name, expected));
  }

  private static FailureDetail describe(String what, UnitReceipt receipt) {
    return FailureDetail.of(what)
        .with("arena", receipt.arenaId())
        .with("generation", receipt.generation())
        .with("unit", receipt.unit())
        .with("span", receipt.span());
  }
}
