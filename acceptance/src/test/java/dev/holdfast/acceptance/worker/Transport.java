package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.SubprocessOptions;

/** What the payloads of {@link Workers} go through. */
enum Transport {
  POOL,
  RING,
  CHANNEL;

  /**
   * Adds an arena, where there is one, whose writer waits as long as it takes.
   *
   * @param payloads how many payloads it has room for
   */
  SubprocessOptions.Builder addTo(
      SubprocessOptions.Builder options, int payloads, Backing backing) {
    return switch (this) {
      case POOL ->
          options.arena(
              SharedMemorySegmentPool.builder(Workers.PAYLOAD_BYTES, payloads)
                  .acquireTimeout(Workers.FOR_EVER)
                  .backing(backing)
                  .build());
      case RING ->
          options.arena(
              SharedMemoryRingBuffer.builder((long) payloads * Workers.PAYLOAD_BYTES)
                  .acquireTimeout(Workers.FOR_EVER)
                  .backing(backing)
                  .build());
      case CHANNEL -> options;
    };
  }
}
