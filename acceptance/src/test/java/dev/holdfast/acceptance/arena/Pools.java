package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemorySegmentPool;
import java.time.Duration;

/** Pools for tests. */
final class Pools {
  static final Duration LONG = Duration.ofMinutes(10);

  private Pools() {}

  static Rig rig(long segmentSize, int count) {
    return rig(segmentSize, count, LONG);
  }

  static Rig rig(long segmentSize, int count, Duration acquireTimeout) {
    return new Rig(
        SharedMemorySegmentPool.builder(segmentSize, count).acquireTimeout(acquireTimeout).build());
  }
}
