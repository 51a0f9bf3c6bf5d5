package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.TicketException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.memory.ArenaWords;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
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
 *
 * <p>A book of tickets appends the records itself: up to the number of a ticket when that is taken,
 * so that tickets are taken in any order. A record whose ticket was not taken here belongs to
 * nobody in this process. It stops the drain, and it is never given back when the book is closed:
 * its ticket may still be recovered by the next reader. Which tickets were taken is written to
 * shared memory, so that the next reader refuses them, and advances over them.
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

    /**
     * The reader is closed and the last unit is released. Called until it returns, so that what
     * there was no heap for is made up for.
     */
    void drained();
  }

  private static final int FIRST_TABLE = 64;
  private static final int LARGEST_TABLE = 1 << 26;

  private final UUID arenaId;
  private final ArenaWords words;
  private final Storage storage;
  private final boolean tickets;
  private final LongAdder leaks = new LongAdder();
  private final AtomicInteger pendingDrains = new AtomicInteger();

  private volatile UnitRecord[] table = new UnitRecord[FIRST_TABLE];
  private volatile UnitRecord newest; // written under this
  private volatile long nextUnit; // written under this
  private long generation; // guarded by this
  private boolean closed; // guarded by this
  private volatile boolean closing;

  private volatile UnitRecord retired; // written by the draining thread
  private long returned; // the last unit that was stored; touched by the draining thread
  private boolean drained; // touched by the draining thread
  private final AtomicBoolean drainsLater = new AtomicBoolean();
  private final Closer.Task drainLater =
      new Closer.Task() {
        @Override
        protected boolean run() {
          return drainedLater();
        }
      };

  /** Begins a book at the words' {@code reclaimed}. */
  public UnitLedger(UUID arenaId, ArenaWords words, Storage storage, long reclaimedBytes) {
    this(arenaId, words, storage, reclaimedBytes, false);
  }

  /** Begins a pool's book of tickets at the words' {@code reclaimed}. */
  public static UnitLedger ofTickets(UUID arenaId, ArenaWords words, Storage storage) {
    UnitLedger ledger = new UnitLedger(arenaId, words, storage, 0, true);
    ledger.resume();
    return ledger;
  }

  private UnitLedger(
      UUID arenaId, ArenaWords words, Storage storage, long reclaimedBytes, boolean tickets) {
    this.arenaId = arenaId;
    this.words = words;
    this.storage = storage;
    this.tickets = tickets;
    this.nextUnit =
        words.checkedReclaimed(
            words.reclaimedAcquire(), words.publishedAcquire(), storage.mostOutstanding());
    UnitRecord before = new UnitRecord(this, nextUnit - 1, reclaimedBytes, 0);
    this.newest = before;
    this.retired = before;
    this.returned = before.unit();
    Generation now = Generation.read(words);
    this.generation = now.number;
    if (!tickets
        && (now.firstUnit > nextUnit
            || (now.firstUnit == nextUnit && now.firstByte > reclaimedBytes))) {
      requirePossible(now);
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
   * Takes a ticket's unit for the caller alone; tickets are taken in any order.
   *
   * @param ticket from anywhere
   * @param secondUse what the next use of the ticket is refused as
   * @throws TicketException when it cannot be taken; nothing has changed then
   */
  public synchronized UnitRecord takeTicket(TicketNumber ticket, TicketRefusal secondUse) {
    long unit = ticket.unit();
    requireNotClosed();
    if (!ticket.arenaId().equals(arenaId)) {
      throw TicketRefusal.FOREIGN.of(arenaId, ticket);
    }
    long last = retired.unit() + storage.mostOutstanding();
    if (unit < 0 || unit > last) {
      throw TicketRefusal.FORGED.of(arenaId, ticket);
    }
    long segment = unit % storage.mostOutstanding();
    boolean sealed = words.sealedAcquire(segment) == unit + 1;
    if (sealed
        && (words.sealedSpanAcquire(segment) != ticket.span()
            || words.sealedKeyAcquire(segment) != ticket.key())) {
      throw TicketRefusal.FORGED.of(arenaId, ticket);
    }
    UnitRecord record = find(unit);
    if (record != null && record.isTaken()) {
      throw record.secondUse().of(arenaId, ticket);
    }
    if (record == null && unit < nextUnit) { // released, and its place in the table used again
      throw TicketRefusal.STALE.of(arenaId, ticket);
    }
    if (!sealed) {
      throw TicketRefusal.FORGED.of(arenaId, ticket);
    }
    if (record == null) {
      appendUpTo(unit);
      record = newest;
    }
    storage.retainMemory();
    try {
      words.setTakenRelease(segment, unit + 1);
      words.settle();
    } catch (InternalError e) { // the backing file was cut short
      storage.releaseMemory();
      throw e;
    }
    record.takeTicket(ticket.span(), secondUse);
    return record;
  }

  /** Notes which tickets former readers have taken; all of them are released. */
  private synchronized void resume() {
    long first = nextUnit;
    long last = first - 1;
    for (long unit = first; unit < first + storage.mostOutstanding(); unit++) {
      if (takenBefore(unit)) {
        last = unit;
      }
    }
    appendUpTo(last);
    drain();
  }

  private void appendUpTo(long last) {
    for (long unit = nextUnit; unit <= last; unit++) {
      UnitRecord record = new UnitRecord(this, unit);
      if (takenBefore(unit)) {
        record.goneBefore();
      }
      makeRoom(unit);
      link(record);
      UnitRecord[] records = table;
      records[(int) (unit & (records.length - 1))] = record;
    }
  }

  private boolean takenBefore(long unit) {
    return words.takenAcquire(unit % storage.mostOutstanding()) == unit + 1;
  }

  private @Nullable UnitRecord find(long unit) {
    UnitRecord[] records = table;
    UnitRecord record = records[(int) (unit & (records.length - 1))];
    return record == null || record.unit() != unit ? null : record;
  }

  /**
   * Looks whether the owner has replaced a dead writer: published units that were never admitted
   * are discarded then. Without this call the next admission looks. Tickets outlive their writer.
   */
  public synchronized void writerReplaced() {
    if (!closed && !tickets) {
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
   * more. Tickets are left alone: the next reader can recover them.
   */
  public void discardUnopened() {
    if (tickets) {
      return;
    }
    Throwable first = null;
    for (UnitRecord record = retired.next(); record != null; record = after(record)) {
      if (record.take()) {
        try {
          record.retire();
        } catch (RuntimeException | Error e) { // the others are still there
          first = first == null ? e : first;
        }
      }
    }
    Steps.rethrow(first);
  }

  /** Returns whether the reader is closed and all is released: its side is free, or about to be. */
  public boolean isOver() {
    return closing && oldest() == null;
  }

  /** A unit was released. Allocates nothing, waits for nothing. */
  void released() {
    try {
      drain();
    } finally {
      storage.releaseMemory();
    }
  }

  /** Returns how many admitted units, or taken tickets, are not given back. */
  public long held() {
    if (!tickets) {
      return Math.max(0, nextUnit - (retired.unit() + 1));
    }
    long count = 0;
    for (UnitRecord record = retired.next(); record != null; record = after(record)) {
      if (record.isTaken()) {
        count++;
      }
    }
    return count;
  }

  /** Returns the oldest unit that is not released, or null. */
  public @Nullable UnitRecord oldest() {
    UnitRecord record = retired.next();
    while (record != null && record.isReleased()) {
      record = after(record);
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
    for (UnitRecord record = retired.next(); record != null; record = after(record)) {
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
    requirePossible(now);
    skipTo(now);
    generation = now.number;
  }

  private void requirePossible(Generation now) {
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
    requireNotClosed();
    UnitRecord record = new UnitRecord(this, unit, start, span);
    storage.retainMemory();
    link(record);
    return record;
  }

  private void requireNotClosed() {
    if (closed) {
      throw new IllegalStateException("the reader is closed: arena=" + arenaId);
    }
  }

  private void link(UnitRecord record) {
    newest.link(record);
    newest = record;
    nextUnit = record.unit() + 1;
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

  /**
   * Gives back what is released. What fails half-way is made up for by the closer, since there may
   * be no later release to do it, and a writer waits.
   */
  private void drain() {
    boolean whole = false;
    try {
      drainNow();
      whole = true;
    } finally {
      if (!whole && drainsLater.compareAndSet(false, true)) {
        handOver();
      }
    }
  }

  private void handOver() {
    boolean retained = false;
    try {
      storage.retainMemory(); // whoever drains is an owner of it
      retained = true;
    } finally {
      if (!retained) {
        drainsLater.set(false);
      }
    }
    Closer.submit(drainLater);
  }

  /**
   * Makes up for a drain that failed. Whoever fails meanwhile hands this over once more, so it is
   * tried again from here only when nobody has.
   */
  private boolean drainedLater() {
    drainsLater.set(false);
    boolean again = false;
    try {
      drainNow();
    } catch (OutOfMemoryError e) {
      again = drainsLater.compareAndSet(false, true);
    } finally {
      if (!again) {
        storage.releaseMemory();
      }
    }
    return !again;
  }

  private void drainNow() {
    if (pendingDrains.getAndIncrement() != 0) {
      return;
    }
    Throwable failure = null;
    int seen = 1;
    do {
      try {
        advance();
      } catch (RuntimeException | Error e) { // it must not leave the count behind
        failure = e;
      }
      seen = pendingDrains.addAndGet(-seen);
    } while (seen != 0);
    Steps.rethrow(failure);
  }

  private void advance() {
    boolean ending = closing; // before the list: a unit admitted ahead of the close is seen below
    UnitRecord first = retired;
    UnitRecord last = first;
    UnitRecord following = last.next();
    while (following != null && following.isReleased()) {
      last = following;
      following = last.next();
    }
    if (last != first) {
      retired = last;
      unlink(first, last);
    }
    if (last.unit() != returned) {
      publishReturned(last);
      returned = last.unit();
      if (FaultPoint.ENABLED) {
        FaultPoint.UNIT_RELEASED.reach();
      }
    }
    if (ending && !drained && isNobodys(following)) {
      storage.drained();
      drained = true;
    }
  }

  /**
   * Makes records that were walked over lead to themselves, so that a lease which somebody keeps
   * after its end does not keep all later records.
   */
  private static void unlink(UnitRecord first, UnitRecord end) {
    UnitRecord record = first;
    while (record != end) {
      UnitRecord next = Objects.requireNonNull(record.next());
      record.link(record);
      record = next;
    }
  }

  /** Returns the next record; a look that was overtaken by the drain goes on behind that. */
  private @Nullable UnitRecord after(UnitRecord record) {
    UnitRecord next = record.next();
    return next == record ? retired.next() : next;
  }

  /** Returns whether nothing that this process holds is left in the list from a record on. */
  private boolean isNobodys(@Nullable UnitRecord first) {
    for (UnitRecord record = first; record != null; record = record.next()) {
      if (!tickets || (record.isTaken() && !record.isReleased())) {
        return false;
      }
    }
    return true;
  }

  /** A release has nobody to tell that the backing file was cut short; the endpoints do. */
  private void publishReturned(UnitRecord last) {
    try {
      storage.returned(last);
      words.setReclaimedVolatile(last.unit() + 1);
      signalSpace();
      words.settle();
    } catch (InternalError e) {
      return;
    }
  }

  private void signalSpace() {
    try {
      words.signalSpace();
    } catch (OutOfMemoryError | StackOverflowError e) {
      return; // the signal is bumped or lost; the writer looks again within a slice
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
