package dev.holdfast.arena.internal.core;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.events.GcAskedEvent;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.life.CollectionMarker;
import dev.holdfast.arena.internal.life.Endless;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.output.OutputAllocator;
import java.lang.System.Logger;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps garbage that nobody collects from stopping a writer.
 *
 * <p>A daemon looks every 20 ms while views are outstanding that only a collection can end, and
 * every 100 ms otherwise. When a writer says that it waits, and the oldest unit that is not given
 * back waits for a collection (it has COLLECTED views, or a lease or reservation that may have been
 * dropped), the daemon asks for one, holding no lock and for at most a fifth of the time. Open
 * leases may well be in use, so for their sake it asks after a second of waiting, and then at
 * doubled distances. It also asks when the outputs of a reader that copies say that a collection is
 * due. When a request does nothing (as with {@code -XX:+DisableExplicitGC}) or costs more than 100
 * ms, plain iteration is advised to make heap copies until the writer has not waited, and no output
 * has asked, for 10 s. The log says so the first time.
 */
final class StarvationGuard {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long LOOK_NANOS = 20_000_000L;
  private static final long IDLE_LOOK_NANOS = 100_000_000L;
  private static final long DEAR_NANOS = 100_000_000L;
  private static final long LEASE_PATIENCE_NANOS = 1_000_000_000L;
  private static final long IDLE_NANOS = 10_000_000_000L;
  private static final int SHARE_OF_TIME = 5;
  private static final Map<ArenaCore, Watched> WATCHED = new ConcurrentHashMap<>();
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-starvation-guard")
                  .start(Endless.of(StarvationGuard::round)));

  private static long nextRequest = System.nanoTime(); // this and the next one the daemon's
  private static long pause = LOOK_NANOS;

  /** What is known of one arena; touched by the daemon, but for the advice. */
  static final class Watched {
    private long waitingSince;
    private boolean waiting;
    private long leasePatience = LEASE_PATIENCE_NANOS;
    private long lastWait;
    private boolean collectedOutstanding;
    private boolean adviceLogged;
    private volatile boolean heapCopiesAdvised;
  }

  private StarvationGuard() {}

  /** Starts the daemon, so that watching needs no thread any more. */
  static Thread start() {
    return THREAD.get();
  }

  /** Watches an arena until its memory is unmapped. */
  static void watch(ArenaCore core) {
    var _ = WATCHED.putIfAbsent(core, new Watched());
    LockSupport.unpark(THREAD.get());
  }

  /** Ends the daemon's pause. */
  static void lookNow() {
    LockSupport.unpark(THREAD.get());
  }

  /** Returns whether heap copies are advised for an arena. */
  static boolean heapCopiesAdvised(ArenaCore core) {
    Watched watched = WATCHED.get(core);
    return watched != null && watched.heapCopiesAdvised;
  }

  private static void round() {
    if (WATCHED.isEmpty()) {
      LockSupport.park(StarvationGuard.class);
    } else {
      LockSupport.parkNanos(StarvationGuard.class, pause);
    }
    try {
      nextRequest = look(nextRequest);
      pause = collectedOutstanding() ? LOOK_NANOS : IDLE_LOOK_NANOS;
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.WARNING, "looking for a starved writer failed", e);
    }
  }

  // Plain loops: what runs ten times a second is never compiled, and a stream would cost more than
  // the look itself.
  private static boolean collectedOutstanding() {
    for (Watched watched : WATCHED.values()) {
      if (watched.collectedOutstanding) {
        return true;
      }
    }
    return false;
  }

  /** Looks at all arenas once and returns when the next collection may be asked for. */
  private static long look(long notBefore) {
    List<ArenaCore> starving = new ArrayList<>();
    for (Map.Entry<ArenaCore, Watched> entry : WATCHED.entrySet()) {
      if (looksStarved(entry.getKey(), entry.getValue())) {
        starving.add(entry.getKey());
      }
    }
    if (starving.isEmpty() || System.nanoTime() - notBefore < 0) {
      return notBefore;
    }
    long cost = request(starving);
    return System.nanoTime() + cost * (SHARE_OF_TIME - 1);
  }

  private static boolean looksStarved(ArenaCore core, Watched watched) {
    if (!core.mapping().retain()) {
      WATCHED.remove(core);
      return false;
    }
    try {
      UnitLedger ledger = core.ledger();
      OutputAllocator outputs = core.outputs();
      long now = System.nanoTime();
      if (outputs != null && outputs.collectionDue(now)) {
        watched.lastWait = now;
        return true;
      }
      UnitRecord oldest = ledger == null ? null : ledger.oldest();
      watched.collectedOutstanding =
          outputs != null || (oldest != null && oldest.awaitsCollection() == ViewScope.COLLECTED);
      boolean writerWaits = core.words().writerWaitingVolatile();
      core.words().settle();
      Owned reserved = core.oldestReservation();
      if ((ledger == null && reserved == null) || !writerWaits) {
        watched.waiting = false;
        watched.leasePatience = LEASE_PATIENCE_NANOS;
        if (watched.heapCopiesAdvised && now - watched.lastWait > IDLE_NANOS) {
          watched.heapCopiesAdvised = false;
        }
        return false;
      }
      watched.lastWait = now;
      if (!watched.waiting) {
        watched.waiting = true;
        watched.waitingSince = now;
      }
      return mayBeGarbage(oldest, watched, now) || mayBeGarbage(reserved, watched, now);
    } catch (InternalError e) {
      WATCHED.remove(core); // the backing file was cut short; the endpoints report it
      return false;
    } finally {
      core.mapping().release();
    }
  }

  private static boolean mayBeGarbage(@Nullable Owned oldest, Watched watched, long now) {
    ViewScope scope = oldest == null ? null : oldest.awaitsCollection();
    if (scope == null) {
      return false;
    }
    if (scope == ViewScope.COLLECTED) {
      return true;
    }
    if (now - watched.waitingSince < watched.leasePatience) {
      return false;
    }
    watched.leasePatience *= 2;
    return true;
  }

  /** Asks for a collection and returns what it cost, in nanoseconds. */
  private static long request(List<ArenaCore> starving) {
    for (ArenaCore core : starving) {
      core.gcRequested();
      OutputAllocator outputs = core.outputs();
      if (outputs != null) {
        outputs.collectionBegins();
      }
      if (Recorder.isThere()) {
        GcAskedEvent event = new GcAskedEvent();
        event.arena = core.geometry().arenaId().toString();
        event.commit();
      }
    }
    WeakReference<Object> canary = new WeakReference<>(new Object());
    CollectionMarker marker = CollectionMarker.drop();
    long start = System.nanoTime();
    System.gc();
    long cost = System.nanoTime() - start;
    boolean refused = canary.get() != null;
    for (ArenaCore core : starving) {
      OutputAllocator outputs = core.outputs();
      if (outputs != null) {
        outputs.collectionEnded(start + cost, () -> refused || marker.isMet());
      }
    }
    if (refused || cost > DEAR_NANOS) {
      for (ArenaCore core : starving) {
        advise(core, refused, cost);
      }
    }
    return cost;
  }

  private static void advise(ArenaCore core, boolean refused, long cost) {
    Watched watched = WATCHED.get(core);
    if (watched == null || watched.heapCopiesAdvised) {
      return;
    }
    watched.heapCopiesAdvised = true;
    if (watched.adviceLogged) {
      return;
    }
    watched.adviceLogged = true;
    LOG.log(
        Logger.Level.INFO,
        "plain iteration makes heap copies for a while, because collections {0}: arena={1}",
        refused ? "are refused" : "take " + cost / 1_000_000 + " ms",
        core.geometry().arenaId());
  }
}
