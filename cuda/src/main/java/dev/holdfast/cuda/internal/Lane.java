package dev.holdfast.cuda.internal;

/**
 * What a thread copies with, entered for each transfer. A platform thread has one of its own;
 * others take turns with shared ones. When the thread, or the copier, is gone the garbage collector
 * finds the lane, and its resources are given back.
 */
public final class Lane {
  private final LaneResources resources;
  private final boolean shared;

  Lane(LaneResources resources, boolean shared) {
    this.resources = resources;
    this.shared = shared;
  }

  /**
   * Begins a transfer; the lane is locked.
   *
   * @param producerEvent what copies from the device wait for, 0 for what the default stream was
   *     asked for
   */
  public Transfer begin(long producerEvent) {
    return new Transfer(resources, producerEvent);
  }

  /** Keeps a result reachable until as many later ones as asked for have followed. */
  public void keep(Object result) {
    resources.keep(result);
  }

  LaneResources resources() {
    return resources;
  }

  boolean isShared() {
    return shared;
  }
}
