package dev.holdfast.cli.bench;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.SubprocessOptions;

/** A worker whose items come through a segment pool. */
public final class PoolTransport implements Transport {
  /** Made by the service loader. */
  public PoolTransport() {}

  @Override
  public String name() {
    return "pool";
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    SubprocessOptions.Builder options =
        SubprocessOptions.builder()
            .arena(SharedMemorySegmentPool.builder(cell.roomBytes(), cell.segments()).build())
            .bufferSize(cell.segments());
    return WorkerSession.start(cell, options);
  }
}
