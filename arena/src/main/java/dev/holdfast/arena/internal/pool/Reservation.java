package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.TicketNumber;
import dev.holdfast.arena.internal.life.ViewGuard;
import dev.holdfast.arena.internal.life.Views;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A segment while its producer fills it. See {@link dev.holdfast.arena.ArenaReservation}, which is
 * how users see it.
 *
 * <p>All views belong to one scope, which ends before anything is published. Until then its guard
 * is the one owner of the number, so that a number is never given again while a view of it lives,
 * also when the reservation was dropped.
 */
public final class Reservation {
  /** Where an allocation begins unless told otherwise: a cache line, and what vector loads want. */
  public static final long ALIGNMENT = 64;

  /** Segments begin on pages, and not all processes map them at the same multiple of more. */
  private static final long LARGEST_ALIGNMENT = 4096;

  private static final long ZEROED_AT_ONCE = 8L << 20;

  @SuppressWarnings("UnusedVariable") // an arena object that is dropped is closed
  private final Object keptOpen;

  private final ArenaCore core;
  private final TicketWriter writer;
  private final Reserved reserved;
  private final ViewScope scope;
  private final Thread owner = Thread.currentThread();
  private final Arena arena;
  private final ViewGuard guard;
  private final MemorySegment segment;

  private long cursor; // guarded by this
  private boolean ended; // guarded by this

  private Reservation(
      Object keptOpen,
      ArenaCore core,
      TicketWriter writer,
      Reserved reserved,
      ViewScope scope,
      Arena arena) {
    this.keptOpen = keptOpen;
    this.core = core;
    this.writer = writer;
    this.reserved = reserved;
    this.scope = scope;
    this.arena = arena;
    long segments = core.geometry().segments();
    this.segment =
        core.data(
            reserved.unit() % segments * core.geometry().stride(), core.geometry().unitBytes());
    this.guard = new ViewGuard(reserved, arena.scope(), scope);
  }

  /** Opens the reservation of a number, which is given back when that fails. */
  static Reservation open(
      Object keptOpen, ArenaCore core, TicketWriter writer, Reserved reserved, ViewScope scope) {
    try {
      Reservation reservation =
          new Reservation(keptOpen, core, writer, reserved, scope, arena(scope));
      reserved.guardViews(reservation.guard);
      reserved.heldBy(HolderKind.RESERVATION);
      return reservation;
    } finally {
      reserved.retire();
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // the reservation ends it
  private static Arena arena(ViewScope scope) {
    return switch (scope) {
      case CONFINED -> Arena.ofConfined();
      case SHARED -> Arena.ofShared();
      case COLLECTED -> throw new IllegalArgumentException(scope + " views cannot be ended");
    };
  }

  /** See {@link dev.holdfast.arena.ArenaReservation#allocate(long, long)}. */
  public MemorySegment allocate(long byteSize, long alignment) {
    if (byteSize <= 0) {
      throw new IllegalArgumentException("byteSize must be positive: byteSize=" + byteSize);
    }
    if (alignment <= 0 || alignment > LARGEST_ALIGNMENT || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException(
          "alignment must be a power of two up to "
              + LARGEST_ALIGNMENT
              + ": alignment="
              + alignment);
    }
    synchronized (this) {
      requireOpen();
      requireOwner();
      core.enter();
      try {
        long offset = ArenaLayout.roundUp(cursor, alignment);
        if (offset > segment.byteSize() || byteSize > segment.byteSize() - offset) {
          throw tooLarge(offset, byteSize);
        }
        MemorySegment view = Views.of(segment.asSlice(offset, byteSize), arena);
        cursor = offset + byteSize;
        return view;
      } finally {
        core.exit();
      }
    }
  }

  private UnitTooLargeException tooLarge(long offset, long byteSize) {
    return new UnitTooLargeException(
        FailureDetail.of("the allocation does not fit the segment")
            .with("bytesAsked", byteSize > Long.MAX_VALUE - offset ? byteSize : offset + byteSize)
            .with("segmentSize", segment.byteSize())
            .with("allocationBytes", byteSize)
            .with("arena", core.geometry().arenaId())
            .advise("make the segments larger, or the allocations of one reservation smaller"));
  }

  /** See {@link dev.holdfast.arena.ArenaReservation#allocateZeroed(long, long)}. */
  public MemorySegment allocateZeroed(long byteSize, long alignment) {
    MemorySegment view = allocate(byteSize, alignment);
    core.enter();
    try {
      for (long done = 0; done < byteSize; done += ZEROED_AT_ONCE) {
        var _ = view.asSlice(done, Math.min(ZEROED_AT_ONCE, byteSize - done)).fill((byte) 0);
      }
      return view;
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  /** See {@link dev.holdfast.arena.ArenaReservation#seal}. */
  public synchronized TicketNumber seal() {
    requireOpen();
    requireOwner();
    StackRoom.require();
    core.enter();
    try {
      if (FaultPoint.ENABLED) {
        FaultPoint.RESERVATION_FILLED.reach();
      }
      endViews();
      ended = true;
      try {
        return writer.seal(reserved, cursor);
      } finally {
        guard.end();
      }
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private void endViews() {
    try {
      arena.close();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          "memory of the reservation is in use by a native call or a channel operation: unit="
              + reserved.unit()
              + "; it stays open, try again when that has ended",
          e);
    }
  }

  /** See {@link dev.holdfast.arena.ArenaReservation#close}. */
  public synchronized void close() {
    if (ended) {
      return;
    }
    requireOwner();
    StackRoom.require();
    if (scope == ViewScope.CONFINED) {
      endViews();
      ended = true;
      guard.end();
      return;
    }
    EndViews end = new EndViews(arena, guard);
    ended = true;
    boolean over = false;
    try {
      over = end.run();
    } finally {
      if (!over) {
        Closer.submit(end);
      }
    }
  }

  /** Ends the views of an aborted reservation, as soon as nothing uses them. */
  private static final class EndViews extends Closer.Task {
    private final Arena arena;
    private final ViewGuard guard;

    EndViews(Arena arena, ViewGuard guard) {
      this.arena = arena;
      this.guard = guard;
    }

    @Override
    protected boolean run() {
      if (arena.scope().isAlive()) { // else an Error had ended an earlier try half-way
        try {
          arena.close();
        } catch (IllegalStateException e) {
          return false;
        }
      }
      guard.end();
      return true;
    }
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException(
          "the reservation was sealed or closed: unit=" + reserved.unit());
    }
  }

  private void requireOwner() {
    if (scope == ViewScope.CONFINED && Thread.currentThread() != owner) {
      throw new WrongThreadException(
          "a CONFINED reservation belongs to the thread that made it: unit="
              + reserved.unit()
              + " owner="
              + owner.getName());
    }
  }
}
