package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.events.LeaseLeakedEvent;
import dev.holdfast.arena.internal.events.Recorder;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/**
 * Watches the scope that all views of one unit share, and retires its owner exactly once: when the
 * lease ends it, or when the garbage collector finds it gone.
 *
 * <p>A phantom reference to the scope, made before the first view. Every alias of a view (slices,
 * read-only views, buffers, streams of elements) refers to the scope, so it is gone only when all
 * of them are. The storage keeps this guard reachable until it is released, so no list of guards is
 * needed.
 */
public final class ViewGuard extends PhantomReference<MemorySegment.Scope> {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();
  private static final VarHandle ENDED;
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-cleaner")
                  .start(Endless.of(ViewGuard::round)));

  static {
    try {
      ENDED = MethodHandles.lookup().findVarHandle(ViewGuard.class, "ended", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Owned unit;
  private final ViewScope scope;
  private volatile boolean ended;

  /** Starts the daemon, so that a guard can be made where nothing may fail. */
  public static Thread start() {
    return THREAD.get();
  }

  /** Makes a guard of a unit's scope. */
  public ViewGuard(Owned unit, MemorySegment.Scope watched, ViewScope scope) {
    super(watched, COLLECTED);
    this.unit = unit;
    this.scope = scope;
  }

  /** Retires the owner because its lease has ended the scope. */
  public void end() {
    if (ENDED.compareAndSet(this, false, true)) {
      clear();
      unit.retire();
    }
  }

  boolean hasEnded() {
    return ended;
  }

  ViewScope scope() {
    return scope;
  }

  Owned unit() {
    return unit;
  }

  static ReferenceQueue<Object> queue() {
    return COLLECTED;
  }

  private void collected() {
    if (!ENDED.compareAndSet(this, false, true)) {
      return;
    }
    boolean leaked = scope != ViewScope.COLLECTED;
    try {
      if (leaked) {
        unit.leaked();
      }
      unit.leaseEnded();
    } finally {
      unit.retire();
    }
    if (leaked) {
      reportLeak(); // a log may take its time
    }
  }

  private void reportLeak() {
    if (Recorder.isThere()) {
      LeaseLeakedEvent event = new LeaseLeakedEvent();
      event.arena = unit.arena();
      event.unit = unit.unit();
      event.commit();
    }
    LOG.log(
        Logger.Level.WARNING,
        "a {0} was dropped without close: arena={1} unit={2} takenAt={3}",
        unit.closedBy(),
        unit.arena(),
        String.valueOf(unit.unit()),
        unit.place());
  }

  private static void round() {
    try {
      Reference<?> found = COLLECTED.remove();
      switch (found) {
        case ViewGuard guard -> guard.collected();
        case DroppedHold hold -> hold.report();
        case CollectionMarker marker -> marker.meet();
        default -> throw new IllegalStateException("foreign reference " + found);
      }
    } catch (InterruptedException e) {
      Thread.onSpinWait(); // user code can find and interrupt this thread
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.ERROR, "cleaning up after a dropped view failed", e);
    }
  }
}
