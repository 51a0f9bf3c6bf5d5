package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.StorageHold;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** A hold on a heap copy: it keeps the array reachable and nothing else. */
final class HeapHold implements StorageHold {
  private volatile @Nullable MemorySegment bytes;

  HeapHold(MemorySegment bytes) {
    this.bytes = bytes.asReadOnly();
  }

  @Override
  public MemorySegment segment() {
    MemorySegment kept = bytes;
    if (kept == null) {
      throw new IllegalStateException("the hold is closed");
    }
    return kept;
  }

  @Override
  public ByteBuffer buffer() {
    return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() {
    bytes = null;
  }
}
