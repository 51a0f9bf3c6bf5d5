package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.events.UnitPublishedEvent;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.TicketNumber;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.memory.WaitWord;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of a pool that serves tickets: gives numbers to reservations and publishes what
 * is sealed. One per process; thread-safe.
 *
 * <p>Each number is open (a reservation has it), sealed, or free. The next reservation takes the
 * lowest free number, or a new one when there is none and its segment is reclaimed. A free number
 * is never behind {@code reclaimed}, because that only advances over sealed ones, so taking it
 * never waits. {@code published} is the end of the complete prefix of sealed numbers.
 *
 * <p>Shared memory says of each segment which unit is sealed in it, so the book of a writer that
 * died or was closed is made again by looking at the numbers from {@code reclaimed} on: what is not
 * sealed there is free. No other void number exists, and none has to be retired.
 *
 * <p>Order: the bytes, then span and key, then {@code sealed} (release), then {@code published}.
 * Whoever finds {@code sealed} (acquire) with the number of a ticket sees what was stored before.
 */
final class TicketWriter {
  private final ArenaCore core;
  private final ArenaWords words;
  private final long segments;

  private final NavigableMap<Long, Reserved> open = new TreeMap<>(); // all guarded by this
  private final NavigableSet<Long> free = new TreeSet<>();
  private final NavigableSet<Long> sealedAhead = new TreeSet<>();
  private long nextUnit;
  private long published;
  private int waiters;
  private boolean closed;

  /** Claims the writer; the caller is inside a call of the arena. */
  TicketWriter(ArenaCore core) {
    this.core = core;
    this.words = core.words();
    this.segments = core.geometry().segments();
    core.claim(Side.WRITER, Claim.Use.TICKETS);
    try {
      PoolUse.require(core, Claim.Use.TICKETS);
      lookAround();
      core.reservationsOpened(this::oldestOpen);
    } catch (RuntimeException | Error e) {
      core.giveBack(Side.WRITER);
      throw e;
    }
  }

  private void lookAround() {
    published = words.publishedAcquire();
    long first = words.checkedReclaimed(words.reclaimedAcquire(), published, segments);
    nextUnit = published;
    for (long unit = published; unit < first + segments; unit++) {
      if (words.sealedAcquire(unit % segments) == unit + 1) {
        sealedAhead.add(unit);
        nextUnit = unit + 1;
      }
    }
    for (long unit = published; unit < nextUnit; unit++) {
      if (!sealedAhead.contains(unit)) {
        free.add(unit);
      }
    }
    publish(); // the writer before may have died between the two stores of a seal
  }

  String arena() {
    return core.geometry().arenaId().toString();
  }

  /** Returns a number for the caller, or null while there is no space. */
  synchronized @Nullable Reserved tryReserve() {
    if (closed) {
      throw core.closedException("the arena is closed");
    }
    boolean again = !free.isEmpty();
    long reclaimed = words.checkedReclaimed(words.reclaimedVolatile(), published, segments);
    if (!again && nextUnit - reclaimed >= segments) {
      return null;
    }
    long unit = again ? free.first() : nextUnit;
    keep(new Reserved(this, unit));
    if (again) { // behind what needs heap, so that no number is lost
      var _ = free.pollFirst();
    } else {
      nextUnit++;
    }
    return open.get(unit);
  }

  private void keep(Reserved reserved) {
    if (!core.mapping().retain()) {
      throw core.closedException("the arena is closed");
    }
    boolean kept = false;
    try {
      open.put(reserved.unit(), reserved);
      kept = true;
    } finally {
      if (!kept) {
        core.mapping().release();
      }
    }
  }

  /**
   * Publishes a unit whose producer's views have ended.
   *
   * @param span its bytes from the segment's start
   */
  synchronized TicketNumber seal(Reserved reserved, long span) {
    long unit = reserved.unit();
    long segment = unit % segments;
    long key = ThreadLocalRandom.current().nextLong();
    TicketNumber ticket = new TicketNumber(core.geometry().arenaId(), unit, span, key);
    publishedEvent(ticket); // ahead, since nothing may throw once the unit is published
    words.setSealedSpanRelease(segment, span);
    words.setSealedKeyRelease(segment, key);
    words.setSealedSinceRelease(segment, BootClock.millis());
    words.settle();
    sealedAhead.add(unit);
    words.setSealedRelease(segment, unit + 1);
    open.remove(unit);
    if (FaultPoint.ENABLED) {
      FaultPoint.TICKET_SEALED.reach();
    }
    publish();
    return ticket;
  }

  private static void publishedEvent(TicketNumber ticket) {
    if (!Recorder.isThere()) {
      return;
    }
    UnitPublishedEvent event = new UnitPublishedEvent();
    if (event.isEnabled()) {
      event.arena = ticket.arenaId().toString();
      event.unit = ticket.unit();
      event.bytes = ticket.span();
      event.commit();
    }
  }

  private void publish() {
    long end = published;
    while (sealedAhead.remove(end)) {
      end++;
    }
    if (end != published) {
      published = end;
      words.setPublishedRelease(end);
    }
  }

  /**
   * The producer's views have ended; a number that was not sealed is free again. The closer makes
   * up for a lack of heap, since the last owner comes only once.
   */
  void ended(Reserved reserved) {
    boolean done = false;
    try {
      freed(reserved);
      done = true;
    } finally {
      if (done) {
        core.mapping().release();
      } else {
        Closer.submit(reserved.endLater());
      }
    }
  }

  /** Does the same, as often as it takes. */
  boolean endedLater(Reserved reserved) {
    freed(reserved);
    core.mapping().release();
    return true;
  }

  private synchronized void freed(Reserved reserved) {
    Long unit = reserved.unit();
    if (open.get(unit) == reserved) { // and not the next one with this number
      free.add(unit);
      var _ = open.remove(unit); // behind what needs heap
      if (waiters > 0) {
        wakeWaiters();
      }
    }
    giveBackWhenDone();
  }

  /** Who has looked and does not wait yet misses this, and looks again within a slice. */
  private void wakeWaiters() {
    try {
      words.wakeWriter();
    } catch (InternalError | OutOfMemoryError e) {
      return; // the backing file was cut short, which whoever waits reports; or it looks again
    }
  }

  /** Ends reserving; the side goes back with the last open reservation. */
  synchronized void close() {
    closed = true;
    giveBackWhenDone();
  }

  private void giveBackWhenDone() {
    if (closed && open.isEmpty()) {
      core.giveBack(Side.WRITER);
    }
  }

  private synchronized @Nullable Reserved oldestOpen() {
    return open.isEmpty() ? null : open.firstEntry().getValue();
  }

  /** Returns the next new number. */
  synchronized long nextUnit() {
    return nextUnit;
  }

  /** Announces one more waiter, or one less; the word says whether there is any. */
  synchronized void announce(int wait) {
    waiters += wait == WaitWord.NOBODY ? -1 : 1;
    words.setWriterWaitingVolatile(waiters > 0 ? WaitWord.SOMEBODY : WaitWord.NOBODY);
  }

  /** Makes the error of a wait that has reached its limit. */
  synchronized AcquireTimeoutException timeout(long waitedNanos) {
    long reclaimed = words.checkedReclaimed(words.reclaimedAcquire(), published, segments);
    FailureDetail detail =
        Holders.describe(
            reclaimed,
            nextUnit,
            this::holderOf,
            "released behind a held one",
            FailureDetail.of("no segment became free")
                .with("waitedFor", "free segment")
                .with("waitedMillis", waitedNanos / 1_000_000)
                .with("arena", core.geometry().arenaId())
                .with("segments", segments));
    Reserved oldest = open.get(reclaimed);
    if (oldest != null) {
      detail = detail.with("oldestReservedBy", oldest.thread());
    }
    return new AcquireTimeoutException(
        detail.advise(
            "seal or close reservations, recover or discard tickets and close leases sooner, or"
                + " make count larger"));
  }

  private Holders.Holder holderOf(long unit) {
    Reserved reserved = open.get(unit);
    if (reserved != null) {
      return new Holders.Holder(HolderKind.RESERVATION, reserved.sinceMillis());
    }
    if (free.contains(unit)) {
      return Holders.Holder.NOBODY;
    }
    long segment = unit % segments;
    long word = words.holdingAcquire(segment);
    if (word != 0) {
      return Holders.Holder.of(word);
    }
    return words.takenAcquire(segment) == unit + 1
        ? Holders.Holder.NOBODY
        : new Holders.Holder(HolderKind.TICKET, words.sealedSinceAcquire(segment));
  }
}
