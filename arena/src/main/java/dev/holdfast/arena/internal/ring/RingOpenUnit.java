package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.CuttableUnit;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.Leases;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.life.ViewGuard;
import dev.holdfast.arena.internal.life.Views;
import dev.holdfast.arena.internal.output.Output;
import dev.holdfast.arena.internal.output.OutputAllocator;
import dev.holdfast.arena.internal.output.Piece;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A unit of a ring while it is copied out. What is read goes to the unit's {@link Output}, whose
 * owners count from there on; what is only looked at lies in the ring itself, or, where it wraps,
 * in memory that goes back when the restore ends. The order is: state, scope, output, guard, then
 * the first view.
 */
final class RingOpenUnit implements CuttableUnit {
  private final ArenaCore core;
  private final RingBytes ring;
  private final OutputAllocator outputs;
  private final UnitRecord unit;
  private final ViewScope scope;
  private final boolean writable;
  private final Thread opener = Thread.currentThread();

  private final List<Piece> joined = new ArrayList<>(0);
  private long lookedAt;
  private @Nullable Copies copies;
  private boolean ended;

  /** Where this unit's binaries are copied to, and the scope of their views. */
  private record Copies(Output output, Arena arena, ViewGuard guard) {}

  RingOpenUnit(
      ArenaCore core,
      RingBytes ring,
      OutputAllocator outputs,
      UnitRecord unit,
      ViewScope scope,
      boolean writable) {
    this.core = core;
    this.ring = ring;
    this.outputs = outputs;
    this.unit = unit;
    this.scope = scope;
    this.writable = writable;
  }

  @Override
  public MemorySegment readBinary(long offset, long byteSize) {
    long first = firstByte(offset, byteSize);
    if (byteSize == 0) {
      return MemorySegment.NULL.asReadOnly(); // holds nothing, and nothing can be read through it
    }
    Copies target = copies;
    if (target == null) {
      target = openCopies(byteSize);
    }
    MemorySegment copy = target.output.place(byteSize);
    copyOut(first, copy);
    MemorySegment view = Views.of(copy, target.arena);
    return writable ? view : view.asReadOnly();
  }

  @Override
  public MemorySegment peekBinary(long offset, long byteSize) {
    long first = firstByte(offset, byteSize);
    lookedAt += byteSize;
    if (!ring.wraps(first, byteSize)) {
      return ring.run(first, byteSize).asReadOnly();
    }
    Piece piece = outputs.scratch(byteSize);
    joined.add(piece);
    MemorySegment copy = piece.bytes().asSlice(0, byteSize);
    copyOut(first, copy);
    return copy.asReadOnly();
  }

  private void copyOut(long first, MemorySegment target) {
    try {
      ring.read(first, target);
      settle();
    } catch (InternalError e) {
      throw fault(e);
    }
  }

  @Override
  public ArenaCore core() {
    return core;
  }

  @SuppressWarnings("MustBeClosedChecker") // the lease closes it
  private Copies openCopies(long byteSize) {
    Arena arena =
        switch (scope) {
          case COLLECTED -> Arena.ofAuto();
          case CONFINED -> Arena.ofConfined();
          case SHARED -> Arena.ofShared();
        };
    long size = Math.max(byteSize, unit.span() - lookedAt);
    Output output = outputs.output(core.geometry().arenaId(), unit.unit(), size);
    try {
      ViewGuard guard = new ViewGuard(output, arena.scope(), scope);
      Copies opened = new Copies(output, arena, guard);
      output.guardViews(guard);
      copies = opened;
      return opened;
    } catch (Throwable e) {
      output.retire();
      throw e;
    }
  }

  /** Returns the number of a binary's first byte after checking that all of it lies in the unit. */
  private long firstByte(long offset, long byteSize) {
    requireOpen();
    long distance =
        offset < 0 || offset >= ring.capacity() ? -1 : ring.distance(unit.start(), offset);
    if (distance < 0
        || byteSize < 0
        || distance > unit.span()
        || byteSize > unit.span() - distance) {
      throw new ArenaCorruptedException(
          FailureDetail.of("a binary does not lie in its unit")
              .with("arena", core.geometry().arenaId())
              .with("unit", unit.unit())
              .with("offset", offset)
              .with("byteSize", byteSize)
              .with("unitOffset", ring.placeOf(unit.start()))
              .with("span", unit.span()));
    }
    return unit.start() + distance;
  }

  private void requireOpen() {
    if (Thread.currentThread() != opener) {
      throw new WrongThreadException(
          "an open unit belongs to the thread that began it: unit="
              + unit.unit()
              + " owner="
              + opener.getName());
    }
    if (ended) {
      throw new IllegalStateException("the restore of the unit has ended: unit=" + unit.unit());
    }
  }

  @Override
  public UnitLease endUnit(List<?> anchors) {
    requireOpen();
    StackRoom.require();
    ended = true;
    for (Piece piece : joined) {
      outputs.give(piece);
    }
    try {
      return lease(anchors);
    } finally {
      giveBack();
    }
  }

  private UnitLease lease(List<?> anchors) {
    Copies made = copies;
    if (made == null) {
      return Leases.empty(scope, anchors);
    }
    Output output = made.output;
    output.heldBy(
        switch (scope) {
          case COLLECTED -> HolderKind.COLLECTED_VIEWS;
          case CONFINED -> HolderKind.CONFINED_LEASE;
          case SHARED -> HolderKind.SHARED_LEASE;
        });
    UnitLease lease = Leases.of(output, output.bytes(), made.arena, made.guard, scope, anchors);
    output.retire();
    return lease;
  }

  /** Everything is copied: the span goes back, whatever happens to the output. */
  private void giveBack() {
    try {
      unit.retire();
    } catch (InternalError e) {
      throw core.fault(e);
    }
  }
}
