package dev.holdfast.acceptance.model;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitTooLargeException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an arena should do, as simply as it can be said: numbers, and units in the order in which
 * they go back.
 */
abstract class Rules {
  private final Deque<Unit> outstanding = new ArrayDeque<>();
  long generation;
  long published;
  long reclaimed;
  long nextToAdmit;
  long span;
  boolean unitOpen;
  boolean shutdown;

  /** Returns what a new unit is refused with, or null. */
  abstract @Nullable Class<? extends RuntimeException> refusesToBegin();

  /** Returns what a binary is refused with, or null. */
  abstract @Nullable Class<? extends RuntimeException> refuses(long byteSize);

  /** Returns where a binary that is not refused comes to lie. */
  abstract Placement place(long byteSize);

  /** Returns whether a unit is given back by the end of its restore already. */
  abstract boolean copiesOut();

  abstract void unitGone(Unit unit);

  abstract void unitSent();

  void begin() {
    unitOpen = true;
    span = 0;
  }

  void abort() {
    unitOpen = false;
    span = 0;
  }

  void commit(Unit unit) {
    unitOpen = false;
    outstanding.add(unit);
    published++;
    unitSent();
    span = 0;
  }

  /** A unit needs its storage no more; it goes back behind those before it. */
  void release(Unit unit) {
    unit.released = true;
    while (!outstanding.isEmpty() && outstanding.getFirst().released) {
      unitGone(outstanding.removeFirst());
      reclaimed++;
    }
  }

  /** The writer was replaced: what it left unread is void. */
  void writerReplaced() {
    abort();
    generation++;
    for (Unit unit : List.copyOf(outstanding)) {
      if (unit.receipt.unit() >= nextToAdmit) {
        release(unit);
      }
    }
    nextToAdmit = published;
  }

  /** The reader was replaced: everything went with it. */
  void readerReplaced() {
    generation++;
    List.copyOf(outstanding).forEach(this::release);
    nextToAdmit = published;
  }

  @Nullable Unit firstNotAdmitted() {
    return outstanding.stream()
        .filter(unit -> unit.receipt.unit() == nextToAdmit)
        .findFirst()
        .orElse(null);
  }

  Class<? extends RuntimeException> full() {
    return shutdown ? ArenaClosedException.class : AcquireTimeoutException.class;
  }

  /** A unit takes the next segment; binaries start at multiples of 64. */
  static final class OfPool extends Rules {
    private final long segmentSize;
    private final int count;

    OfPool(long segmentSize, int count) {
      this.segmentSize = segmentSize;
      this.count = count;
    }

    @Override
    @Nullable Class<? extends RuntimeException> refusesToBegin() {
      return published - reclaimed < count ? null : full();
    }

    @Override
    @Nullable Class<? extends RuntimeException> refuses(long byteSize) {
      return byteSize == 0 || start() + byteSize <= segmentSize
          ? null
          : UnitTooLargeException.class;
    }

    private long start() {
      return (span + 63) / 64 * 64;
    }

    @Override
    Placement place(long byteSize) {
      if (byteSize == 0) {
        return new Placement(span, 0);
      }
      Placement placement = new Placement(start(), byteSize);
      span = placement.offset() + byteSize;
      return placement;
    }

    @Override
    boolean copiesOut() {
      return false;
    }

    @Override
    void unitGone(Unit unit) {}

    @Override
    void unitSent() {}
  }

  /** Bytes follow each other without gaps and go back when they are copied out. */
  static final class OfRing extends Rules {
    private final long capacity;
    private long head;
    private long tail;

    OfRing(long capacity) {
      this.capacity = capacity;
    }

    @Override
    @Nullable Class<? extends RuntimeException> refusesToBegin() {
      return null;
    }

    @Override
    @Nullable Class<? extends RuntimeException> refuses(long byteSize) {
      if (byteSize > capacity - span) {
        return UnitTooLargeException.class;
      }
      return byteSize == 0 || head + span + byteSize - tail <= capacity ? null : full();
    }

    @Override
    Placement place(long byteSize) {
      Placement placement = new Placement((head + span) % capacity, byteSize);
      span += byteSize;
      return placement;
    }

    @Override
    boolean copiesOut() {
      return true;
    }

    @Override
    void unitGone(Unit unit) {
      tail += unit.receipt.span();
    }

    @Override
    void unitSent() {
      head += span;
    }
  }
}
