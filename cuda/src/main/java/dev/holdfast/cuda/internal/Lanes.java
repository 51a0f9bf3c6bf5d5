package dev.holdfast.cuda.internal;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.life.Once;
import java.lang.ref.Cleaner;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one copier: one for each platform thread that used it, and as many shared ones as
 * other transfers were under way at a time. Those are the transfers of virtual threads, which may
 * be many and short-lived, and of a thread that is in a transfer of its own lane already, when code
 * of the user copies while it is asked for a part of an item. Thread-safe.
 */
public final class Lanes {
  private static final Once<Cleaner> CLEANER =
      new Once<>(
          () ->
              Cleaner.create(
                  Thread.ofPlatform().daemon().name("holdfast-transfer-lanes").factory()));

  private final CudaContext context;
  private final @Nullable PagePinner stagingPinner;
  private final int keep;
  private final ThreadLocal<Lane> own = ThreadLocal.withInitial(() -> newLane(false));
  private final Deque<Lane> idleShared = new ConcurrentLinkedDeque<>();
  private final Set<LaneResources> all = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Makes an empty set of lanes.
   *
   * @param context of the device
   * @param stagingPinner page-locks staging memory, or null
   * @param keep how many results each lane keeps
   */
  public Lanes(CudaContext context, @Nullable PagePinner stagingPinner, int keep) {
    this.context = context;
    this.stagingPinner = stagingPinner;
    this.keep = keep;
  }

  /** Returns the device's context. */
  public CudaContext context() {
    return context;
  }

  /** What the lane's resources know of is no lane, or the collector would find none of them. */
  private Lane newLane(boolean shared) {
    requireOpen();
    Set<LaneResources> known = all;
    LaneResources resources =
        new LaneResources(context, stagingPinner, () -> giveUpIdleStaging(known), keep);
    Lane lane = new Lane(resources, shared);
    Cleaner cleaner = CLEANER.get();
    known.add(resources);
    cleaner.register(
        lane,
        () -> {
          resources.close();
          known.remove(resources);
        });
    return lane;
  }

  private static boolean giveUpIdleStaging(Set<LaneResources> lanes) {
    boolean any = false;
    for (LaneResources resources : lanes) {
      any |= resources.giveUpIdleStaging();
    }
    return any;
  }

  /** Returns a lane for a transfer of the calling thread, locked; {@link #leave} must follow. */
  public Lane enter() {
    Lane lane = Thread.currentThread().isVirtual() ? shared() : own.get();
    if (lane.resources().isHeldByCaller()) {
      lane = shared();
    }
    lane.resources().lock();
    try {
      requireOpen();
    } catch (RuntimeException | Error e) {
      leave(lane);
      throw e;
    }
    return lane;
  }

  private Lane shared() {
    Lane idle = idleShared.pollFirst();
    return idle == null ? newLane(true) : idle;
  }

  /** Unlocks a lane. */
  public void leave(Lane lane) {
    lane.resources().unlock();
    if (lane.isShared()) {
      idleShared.addFirst(lane);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("copies to or from a device were asked of a closed object");
    }
  }

  /*
   * Who enters a lane looks at "closed" after taking its lock. So either that happens first, and closing waits
   * for the transfer, or the transfer is refused. A lane that is added while this runs makes nothing any more.
   */
  /**
   * Waits for transfers under way, then gives all streams and staging memory back; throws
   * IllegalStateException within a transfer, which would use them afterwards.
   */
  public void close() {
    if (all.stream().anyMatch(LaneResources::isHeldByCaller)) {
      throw new IllegalStateException("it was closed by code that one of its own copies calls");
    }
    closed = true;
    all.forEach(LaneResources::close);
  }
}
