package dev.holdfast.acceptance.capacity;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** Buffers of one size. */
record Full(long size, int units) implements WorkerSource<ByteBuffer> {

  @Override
  public Iterable<ByteBuffer> open(WorkerContext context) {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) size);
    return () -> IntStream.range(0, units).mapToObj(unit -> buffer.put(0, (byte) unit)).iterator();
  }
}
