package dev.holdfast.peers;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A stretch of memory as Arrow wants it: as a channel, which copies once. Belongs to one thread.
 */
final class ArrowPlace implements ReadableByteChannel, WritableByteChannel {
  private MemorySegment memory;
  private long position;

  ArrowPlace(MemorySegment memory) {
    this.memory = memory;
  }

  /** Goes on at the beginning of another stretch. */
  void target(MemorySegment next) {
    memory = next;
    position = 0;
  }

  @Override
  public int write(ByteBuffer source) {
    int length = source.remaining();
    MemorySegment.copy(MemorySegment.ofBuffer(source), 0, memory, position, length);
    source.position(source.limit());
    position += length;
    return length;
  }

  @Override
  public int read(ByteBuffer target) {
    int length = Math.toIntExact(Math.min(target.remaining(), memory.byteSize() - position));
    if (length == 0) {
      return -1;
    }
    MemorySegment.copy(memory, position, MemorySegment.ofBuffer(target), 0, length);
    target.position(target.position() + length);
    position += length;
    return length;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {}
}
