package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.StorageHold;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A hold on an item without storage. */
public final class EmptyHold implements StorageHold {
  /** The only one. */
  public static final EmptyHold INSTANCE = new EmptyHold();

  private EmptyHold() {}

  @Override
  public MemorySegment segment() {
    return MemorySegment.NULL;
  }

  @Override
  public ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(0).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() {}
}
