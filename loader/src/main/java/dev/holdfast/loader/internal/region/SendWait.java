package dev.holdfast.loader.internal.region;

import org.jspecify.annotations.Nullable;

/**
 * How long a lane's sender has been waiting for its worker to read, or to give space back. What the
 * worker reads meanwhile begins the time anew. Who sends writes, any thread reads.
 */
final class SendWait {
  private volatile @Nullable Still still;

  /**
   * A wait in which nothing has moved.
   *
   * @param position how far the worker has read
   * @param sinceNanos since when it has come no further
   */
  private record Still(long position, long sinceNanos) {}

  /** Takes note that the sender waits, and how far the worker has read. */
  void goesOn(long position) {
    Still known = still;
    if (known == null || known.position != position) {
      still = new Still(position, System.nanoTime());
    }
  }

  /** Takes note that the sender does not wait any more. */
  void over() {
    still = null;
  }

  /** Returns how long nothing has moved, 0 when nobody waits. */
  long nanos() {
    Still known = still;
    return known == null ? 0 : System.nanoTime() - known.sinceNanos;
  }
}
