package dev.holdfast.cli.bench;

import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.loader.SubprocessOptions;

/** A worker whose items come through a ring buffer, and arrive as recycled copies. */
public final class RingTransport implements Transport {
  /** Made by the service loader. */
  public RingTransport() {}

  @Override
  public String name() {
    return "ring";
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    long capacity = Math.multiplyExact(cell.roomBytes(), cell.segments());
    SubprocessOptions.Builder options =
        SubprocessOptions.builder()
            .arena(SharedMemoryRingBuffer.builder(capacity).build())
            .bufferSize(cell.segments());
    return WorkerSession.start(cell, options);
  }
}
