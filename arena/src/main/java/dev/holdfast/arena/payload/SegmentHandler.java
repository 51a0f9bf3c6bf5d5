package dev.holdfast.arena.payload;

import dev.holdfast.arena.internal.memory.BulkCopy;
import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;

/**
 * Memory segments. One below the threshold comes back on a {@code long[]}, so that it is aligned;
 * an offloaded one has no form on the heap.
 */
final class SegmentHandler implements PayloadHandler<MemorySegment> {

  @Override
  public String kind() {
    return "MemorySegment";
  }

  @Override
  public Class<MemorySegment> type() {
    return MemorySegment.class;
  }

  @Override
  public MemorySegment bytes(MemorySegment payload) {
    return payload;
  }

  @Override
  public boolean hasHeapForm() {
    return false;
  }

  @Override
  public MemorySegment restoreView(MemorySegment view, byte[] meta) {
    return view;
  }

  @Override
  public MemorySegment restoreCopy(MemorySegment bytes, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    int size = StandardHandlers.elements(bytes, 1, kind());
    int words = (int) ((size + (long) Long.BYTES - 1) / Long.BYTES);
    MemorySegment copy = MemorySegment.ofArray(new long[words]).asSlice(0, size);
    BulkCopy.copy(bytes, copy);
    return writable ? copy : copy.asReadOnly();
  }
}
