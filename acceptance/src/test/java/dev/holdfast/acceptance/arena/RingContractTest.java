package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import java.time.Duration;

/** The ring buffer as an arena. */
final class RingContractTest extends ArenaContract {

  @Override
  SharedMemoryArena create(long unitBytes, int units, Duration acquireTimeout) {
    return SharedMemoryRingBuffer.builder(unitBytes * units).acquireTimeout(acquireTimeout).build();
  }

  @Override
  Traits traits() {
    return new Traits(false, false, 1, false, true);
  }
}
