package dev.holdfast.cuda.internal;

import dev.holdfast.arena.PagePinner;
import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The lanes of one copier, one for each thread that used it. Thread-safe. */
public final class Lanes {
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("holdfast-transfer-lanes").factory());

  private final CudaContext context;
  private final @Nullable PagePinner stagingPinner;
  private final int keep;
  private final ThreadLocal<Lane> own = ThreadLocal.withInitial(this::newLane);
  private final Set<LaneResources> all = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Makes an empty set of lanes.
   *
   * @param context of the device
   * @param stagingPinner page-locks staging memory, or null
   * @param keep how many results each thread keeps
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

  private Lane newLane() {
    requireOpen();
    LaneResources resources = new LaneResources(context, stagingPinner, keep);
    Lane lane = new Lane(resources);
    all.add(resources);
    Set<LaneResources> known = all;
    CLEANER.register(
        lane,
        () -> {
          resources.close();
          known.remove(resources);
        });
    return lane;
  }

  /** Returns the calling thread's lane, locked; {@link #leave} must follow. */
  public Lane enter() {
    Lane lane = own.get();
    lane.resources().lock();
    try {
      requireOpen();
    } catch (RuntimeException | Error e) {
      lane.resources().unlock();
      throw e;
    }
    return lane;
  }

  /** Unlocks a lane. */
  public void leave(Lane lane) {
    lane.resources().unlock();
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
  /** Waits for transfers under way, then gives all streams and staging memory back. */
  public void close() {
    closed = true;
    all.forEach(LaneResources::close);
  }
}
