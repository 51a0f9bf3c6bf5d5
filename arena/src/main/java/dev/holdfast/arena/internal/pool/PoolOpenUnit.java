package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.CuttableUnit;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.Leases;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.life.ViewGuard;
import dev.holdfast.arena.internal.life.Views;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A unit of a pool while it is restored. The order is: state, scope, guard, then the first view.
 */
final class PoolOpenUnit implements CuttableUnit {
  private final ArenaCore core;
  private final PoolStorage storage;
  private final UnitRecord unit;
  private final ViewScope scope;
  private final boolean writable;
  private final Thread opener = Thread.currentThread();

  private @Nullable Arena views;
  private @Nullable ViewGuard guard;
  private boolean ended;

  /**
   * Opens a unit that its caller has taken, and gives it back when that fails, since nobody else
   * has it.
   *
   * @param taken is reached meanwhile
   */
  static PoolOpenUnit of(
      ArenaCore core,
      PoolStorage storage,
      UnitRecord unit,
      ViewScope scope,
      boolean writable,
      FaultPoint taken) {
    boolean opened = false;
    try {
      unit.heldBy(HolderKind.RESTORE);
      if (FaultPoint.ENABLED) {
        taken.reach();
      }
      storage.opened(unit);
      PoolOpenUnit open = new PoolOpenUnit(core, storage, unit, scope, writable);
      opened = true;
      return open;
    } finally {
      if (!opened) {
        unit.retire();
      }
    }
  }

  private PoolOpenUnit(
      ArenaCore core, PoolStorage storage, UnitRecord unit, ViewScope scope, boolean writable) {
    this.core = core;
    this.storage = storage;
    this.unit = unit;
    this.scope = scope;
    this.writable = writable;
  }

  @Override
  public MemorySegment readBinary(long offset, long byteSize) {
    MemorySegment bytes = range(offset, byteSize);
    if (byteSize == 0) {
      return bytes.asReadOnly(); // holds nothing, and nothing can be read through it
    }
    Arena arena = views;
    if (arena == null) {
      arena = openScope();
    }
    MemorySegment view = Views.of(bytes, arena);
    return writable ? view : view.asReadOnly();
  }

  @Override
  public MemorySegment peekBinary(long offset, long byteSize) {
    return range(offset, byteSize).asReadOnly();
  }

  @Override
  public ArenaCore core() {
    return core;
  }

  @SuppressWarnings("MustBeClosedChecker") // the lease closes it
  private Arena openScope() {
    Arena arena =
        switch (scope) {
          case COLLECTED -> Arena.ofAuto();
          case CONFINED -> Arena.ofConfined();
          case SHARED -> Arena.ofShared();
        };
    ViewGuard newGuard = new ViewGuard(unit, arena.scope(), scope);
    unit.guardViews(newGuard);
    guard = newGuard;
    views = arena;
    return arena;
  }

  private MemorySegment range(long offset, long byteSize) {
    requireOpen();
    if (offset < 0 || byteSize < 0 || offset > unit.span() || byteSize > unit.span() - offset) {
      throw new ArenaCorruptedException(
          FailureDetail.of("a binary does not lie in its unit")
              .with("arena", core.geometry().arenaId())
              .with("unit", unit.unit())
              .with("offset", offset)
              .with("byteSize", byteSize)
              .with("span", unit.span()));
    }
    return storage.bytes(unit, offset, byteSize);
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
    Arena arena = views;
    ViewGuard viewGuard = guard;
    if (arena == null || viewGuard == null) {
      ended = true;
      unit.retire();
      return Leases.empty(scope, anchors);
    }
    try {
      return lease(arena, viewGuard, anchors);
    } finally {
      unit.retire(); // not the last owner, so an overflow comes before it has changed anything
      ended = true;
    }
  }

  private UnitLease lease(Arena arena, ViewGuard viewGuard, List<?> anchors) {
    unit.heldBy(
        switch (scope) {
          case COLLECTED -> HolderKind.COLLECTED_VIEWS;
          case CONFINED -> HolderKind.CONFINED_LEASE;
          case SHARED -> HolderKind.SHARED_LEASE;
        });
    return Leases.of(unit, storage.bytes(unit, 0, unit.span()), arena, viewGuard, scope, anchors);
  }
}
