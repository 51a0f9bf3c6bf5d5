package dev.holdfast.cli.demo;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.cuda.CudaPagePinner;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The arena of a demo.
 *
 * @param arena the arena
 * @param arenaBytes the size of its memory
 * @param pinnedBytes the bytes that are page-locked at a moment
 */
record ArenaChoice(SharedMemoryArena arena, long arenaBytes, LongSupplier pinnedBytes) {
  /** What may be page-locked: the arena, or as much as a ring's outputs keep by default. */
  private static final long PIN_BUDGET = 1L << 30;

  static ArenaChoice make(DemoOptions options, long batchBytes) {
    @Nullable PagePinner pinner =
        switch (options.pin()) {
          case NONE -> null;
          case MLOCK -> PagePinner.mlock(PIN_BUDGET);
          case CUDA -> CudaPagePinner.of(PIN_BUDGET);
        };
    return options.transport() == DemoOptions.Transport.RING
        ? ring(options, batchBytes, pinner)
        : pool(options, batchBytes, pinner);
  }

  private static ArenaChoice pool(
      DemoOptions options, long batchBytes, @Nullable PagePinner pinner) {
    SharedMemorySegmentPool.Builder builder =
        SharedMemorySegmentPool.builder(batchBytes, options.segments()).backing(options.backing());
    if (pinner != null) {
      builder.pinned(pinner);
    }
    SharedMemorySegmentPool pool = builder.build();
    return new ArenaChoice(pool, pool.arenaBytes(), pool::pinnedBytes);
  }

  private static ArenaChoice ring(
      DemoOptions options, long batchBytes, @Nullable PagePinner pinner) {
    SharedMemoryRingBuffer.Builder builder =
        SharedMemoryRingBuffer.builder(Math.multiplyExact(batchBytes, options.segments()))
            .backing(options.backing());
    if (pinner != null) {
      builder.pinned(pinner);
    }
    SharedMemoryRingBuffer ring = builder.build();
    return new ArenaChoice(ring, ring.arenaBytes(), ring::pinnedBytes);
  }
}
