package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.events.UnitHeldEvent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Storage and the count of those who still need its bytes: a unit in its arena, or the output that
 * a unit was copied to. Thread-safe.
 *
 * <p>The count starts at one for whoever restores or discards the unit, plus one for the scope of
 * its views once a view was made, plus one per hold. Each owner retires exactly once, from any
 * thread, in any order. At zero the storage is released. There is no strong reference to the scope:
 * its collection is what ends COLLECTED views.
 */
public abstract class Owned {
  private static final VarHandle OWNERS;

  static {
    try {
      OWNERS = MethodHandles.lookup().findVarHandle(Owned.class, "owners", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int owners = 1;
  private volatile @Nullable ViewGuard guard;
  private volatile HolderKind kind = HolderKind.PARCEL;
  private volatile long since;
  private volatile @Nullable Throwable trace;

  /** For subclasses whose storage begins as an unopened parcel. */
  protected Owned() {}

  /** For subclasses whose storage begins in another way. */
  protected Owned(HolderKind first) {
    this.kind = first;
  }

  /** Returns the number of the unit whose bytes these are. */
  public abstract long unit();

  /** Returns the arena of the unit, as the log names it. */
  protected abstract String arena();

  /** Somebody else keeps the storage from now on; for people to read. */
  protected abstract void holding(HolderKind newKind, long sinceMillis);

  /** The last owner has retired. Called once; allocates nothing, waits for nothing. */
  protected abstract void released();

  /** A lease was dropped without a close. */
  protected abstract void leaked();

  /** Returns what its user closes, as the log names it. */
  protected String closedBy() {
    return "lease";
  }

  /** Adds an owner unless the count has reached zero. */
  public final boolean retain() {
    int count = owners;
    while (count > 0) {
      if (OWNERS.compareAndSet(this, count, count + 1)) {
        return true;
      }
      count = owners;
    }
    return false;
  }

  /** Retires an owner; the last one releases the storage. Allocates nothing, waits for nothing. */
  public final void retire() {
    int before = (int) OWNERS.getAndAdd(this, -1);
    if (before == 1) {
      try {
        recordHeld();
      } finally {
        released();
      }
    } else if (before <= 0) {
      throw new IllegalStateException("an owner of unit " + unit() + " retired twice");
    }
  }

  private void recordHeld() {
    if (!Recorder.isThere()) {
      return;
    }
    UnitHeldEvent event = new UnitHeldEvent();
    if (event.isEnabled()) {
      event.arena = arena();
      event.unit = unit();
      event.holder = kind.text();
      event.heldMillis = since == 0 ? 0 : BootClock.millis() - since;
      event.commit();
    }
  }

  /** Notes the guard of the views, which counts as an owner from here on. */
  public final void guardViews(ViewGuard newGuard) {
    if (!retain()) {
      throw new IllegalStateException("unit " + unit() + " is released");
    }
    guard = newGuard;
  }

  /** Notes who keeps the storage from now on, for errors and for {@code inspect}. */
  public final void heldBy(HolderKind newKind) {
    kind = newKind;
    since = BootClock.millis();
    trace = newKind == HolderKind.RESTORE || newKind == HolderKind.PARCEL ? null : Tracing.here();
    holding(newKind, since);
  }

  /** Notes that a hold is what is left, if anything is. */
  final void leaseEnded() {
    if (owners > 1) {
      heldBy(HolderKind.HOLD);
    }
  }

  /** Returns the guard of the views, or null when there are none. */
  public final @Nullable ViewGuard guard() {
    return guard;
  }

  /**
   * Returns the lifetime of views that only a collection can end for sure, or null when nothing
   * waits for one.
   */
  public final @Nullable ViewScope awaitsCollection() {
    ViewGuard views = guard;
    return views == null || views.hasEnded() || kind == HolderKind.HOLD ? null : views.scope();
  }

  final HolderKind kind() {
    return kind;
  }

  /** Returns who keeps the storage since when, as errors say it. */
  public final String describe() {
    long age = since == 0 ? 0 : BootClock.millis() - since;
    String text = kind.text() + " for " + age + " ms";
    Throwable taken = trace;
    return taken == null ? text : text + ", taken at " + Tracing.place(taken);
  }

  final String place() {
    return Tracing.place(trace);
  }
}
