package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes leases. */
public final class Leases {
  private Leases() {}

  /**
   * Makes the lease of a unit whose views live in an arena.
   *
   * @param unit the unit
   * @param bytes all of the unit's bytes, for holds
   * @param views the arena of the views
   * @param guard the guard of the arena's scope
   * @param scope the kind of lifetime
   * @param anchors what else stays reachable
   */
  public static UnitLease of(
      Owned unit,
      MemorySegment bytes,
      Arena views,
      ViewGuard guard,
      ViewScope scope,
      List<?> anchors) {
    return switch (scope) {
      case COLLECTED -> new CollectedLease(unit, bytes, views, anchors);
      case CONFINED -> new ConfinedLease(unit, bytes, views, guard, anchors);
      case SHARED -> new SharedLease(unit, bytes, views, guard, anchors);
    };
  }

  /** Makes the lease of a unit of which no view was made. */
  public static UnitLease empty(ViewScope scope, List<?> anchors) {
    return new EmptyLease(scope, anchors);
  }

  private static StorageHold hold(Owned unit, MemorySegment bytes, UnitLease lease) {
    StackRoom.require();
    if (lease.state() == UnitLease.State.OPEN && unit.retain()) {
      return UnitHold.of(unit, bytes);
    }
    throw new IllegalStateException("the lease is closed: unit=" + unit.unit());
  }

  /** Views that the garbage collector ends. */
  private static final class CollectedLease implements UnitLease {
    private final Owned unit;
    private final MemorySegment bytes;
    private volatile @Nullable Object kept;

    CollectedLease(Owned unit, MemorySegment bytes, Arena views, List<?> anchors) {
      this.unit = unit;
      this.bytes = bytes;
      this.kept = anchors.isEmpty() ? views : List.of(views, anchors);
    }

    @Override
    public StorageHold hold() {
      return Leases.hold(unit, bytes, this);
    }

    @Override
    public State state() {
      return kept == null ? State.CLOSED : State.OPEN;
    }

    @Override
    public ViewScope scope() {
      return ViewScope.COLLECTED;
    }

    @Override
    public void close() {
      kept = null;
    }

    @Override
    public boolean close(Duration timeout) {
      close();
      ViewGuard guard = unit.guard();
      return guard == null || guard.hasEnded();
    }
  }

  /** Views of one thread. */
  private static final class ConfinedLease implements UnitLease {
    private final Owned unit;
    private final MemorySegment bytes;
    private final Arena views;
    private final ViewGuard guard;
    private final Thread owner = Thread.currentThread();
    private volatile @Nullable List<?> anchors;

    ConfinedLease(Owned unit, MemorySegment bytes, Arena views, ViewGuard guard, List<?> anchors) {
      this.unit = unit;
      this.bytes = bytes;
      this.views = views;
      this.guard = guard;
      this.anchors = anchors;
    }

    @Override
    public StorageHold hold() {
      return Leases.hold(unit, bytes, this);
    }

    @Override
    public State state() {
      return anchors == null ? State.CLOSED : State.OPEN;
    }

    @Override
    public ViewScope scope() {
      return ViewScope.CONFINED;
    }

    @Override
    public void close() {
      if (anchors == null) {
        return;
      }
      if (Thread.currentThread() != owner) {
        throw new WrongThreadException(
            "a CONFINED lease is closed by the thread that took it: unit="
                + unit.unit()
                + " owner="
                + owner.getName());
      }
      StackRoom.require();
      if (views.scope().isAlive()) { // else an Error had ended an earlier call half-way
        views.close(); // refused while an alias is in a native call or a channel operation
      }
      try {
        unit.leaseEnded();
      } finally {
        guard.end();
        anchors = null; // last: until here a second call goes on where an Error had ended this one
      }
    }

    @Override
    public boolean close(Duration timeout) {
      close();
      return true;
    }
  }

  /** Views of any thread, ended by the closer. */
  private static final class SharedLease extends Closer.Task implements UnitLease {
    private final Owned unit;
    private final MemorySegment bytes;
    private final Arena views;
    private final ViewGuard guard;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private final CountDownLatch ended = new CountDownLatch(1);

    @SuppressWarnings("UnusedVariable") // read by nobody, reachable from here
    private volatile List<?> anchors;

    SharedLease(Owned unit, MemorySegment bytes, Arena views, ViewGuard guard, List<?> anchors) {
      this.unit = unit;
      this.bytes = bytes;
      this.views = views;
      this.guard = guard;
      this.anchors = anchors;
    }

    @Override
    public StorageHold hold() {
      return Leases.hold(unit, bytes, this);
    }

    @Override
    public State state() {
      return state.get();
    }

    @Override
    public ViewScope scope() {
      return ViewScope.SHARED;
    }

    @Override
    public void close() {
      StackRoom.require();
      if (state.compareAndSet(State.OPEN, State.CLOSING)) {
        try {
          unit.heldBy(HolderKind.CLOSING_LEASE);
        } finally {
          Closer.submit(this);
        }
      }
    }

    @Override
    public boolean close(Duration timeout) {
      close();
      try {
        return ended.await(Nanos.of(timeout), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new HoldfastInterruptedException(
            FailureDetail.of("interrupted while waiting for the views' end")
                .with("unit", unit.unit()));
      }
    }

    @Override
    protected boolean run() {
      if (views.scope().isAlive()) { // else an Error had ended an earlier try half-way
        try {
          views.close();
        } catch (IllegalStateException e) {
          return false; // an alias is in a native call or a channel operation
        }
      }
      anchors = List.of();
      state.set(State.CLOSED);
      try {
        unit.leaseEnded();
      } finally {
        try {
          guard.end();
        } finally {
          ended.countDown();
        }
      }
      return true;
    }
  }

  /** Nothing of the unit was kept. */
  private static final class EmptyLease implements UnitLease {
    private final ViewScope scope;
    private volatile @Nullable List<?> anchors;

    EmptyLease(ViewScope scope, List<?> anchors) {
      this.scope = scope;
      this.anchors = anchors;
    }

    @Override
    public StorageHold hold() {
      if (state() == State.CLOSED) {
        throw new IllegalStateException("the lease is closed");
      }
      return new HeapHold(MemorySegment.ofArray(new byte[0]));
    }

    @Override
    public State state() {
      return anchors == null ? State.CLOSED : State.OPEN;
    }

    @Override
    public ViewScope scope() {
      return scope;
    }

    @Override
    public void close() {
      anchors = null;
    }

    @Override
    public boolean close(Duration timeout) {
      close();
      return true;
    }
  }
}
