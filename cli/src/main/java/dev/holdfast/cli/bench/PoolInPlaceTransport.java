package dev.holdfast.cli.bench;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.SubprocessOptions;
import java.util.List;

/** A worker that makes its items in the segments of a pool; nothing is copied. */
public final class PoolInPlaceTransport implements Transport {
  /** Made by the service loader. */
  public PoolInPlaceTransport() {}

  @Override
  public String name() {
    return "pool-in-place";
  }

  @Override
  public boolean fillsInPlace() {
    return true;
  }

  @Override
  public List<Long> defaultSizes() {
    return List.of(1L << 20, 64L << 20);
  }

  @Override
  public Session open(CellSpec cell) {
    SubprocessOptions.Builder options =
        SubprocessOptions.builder()
            .arena(SharedMemorySegmentPool.builder(cell.roomBytes(), cell.segments()).build())
            .bufferSize(cell.segments());
    return WorkerSession.start(cell, new InPlaceSource(cell), options);
  }
}
