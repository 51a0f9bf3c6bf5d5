package dev.holdfast.cuda.internal;

/**
 * What one thread copies with. Its thread enters it for each transfer. When the thread is gone the
 * garbage collector finds the lane, and its resources are given back.
 */
public final class Lane {
  private final LaneResources resources;

  Lane(LaneResources resources) {
    this.resources = resources;
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
}
