package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import java.time.Duration;

/** The segment pool as an arena. */
final class PoolContractTest extends ArenaContract {

  @Override
  SharedMemoryArena create(long unitBytes, int units, Duration acquireTimeout) {
    return SharedMemorySegmentPool.builder(unitBytes, units).acquireTimeout(acquireTimeout).build();
  }

  @Override
  Traits traits() {
    return new Traits(true, true, 64, true, true);
  }
}
