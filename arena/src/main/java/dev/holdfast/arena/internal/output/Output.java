package dev.holdfast.arena.internal.output;

import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.BulkCopy;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.UUID;

/**
 * Private memory that the binaries of one unit are copied to, each on a 64-byte boundary. Filled by
 * the thread that restores the unit; with its last owner the memory goes back to the allocator.
 *
 * <p>One buffer holds all binaries. When it turns out too small, a larger one gets a copy of what
 * is there, and the earlier one stays for the views that were made of it.
 */
public final class Output extends Owned {
  private static final long ALIGNMENT = 64;

  private final OutputAllocator allocator;
  private final UUID arena;
  private final long unit;
  private final ArrayList<Piece> pieces = new ArrayList<>(1);

  private MemorySegment buffer;
  private long used;
  private long countedBytes;
  private int epoch;
  private boolean closing;

  Output(OutputAllocator allocator, UUID arena, long unit, long byteSize) {
    this.allocator = allocator;
    this.arena = arena;
    this.unit = unit;
    Piece first = allocator.take(byteSize, this);
    pieces.add(first);
    this.buffer = first.bytes();
    this.countedBytes = first.countedBytes();
    this.epoch = allocator.pressure().made(countedBytes);
  }

  /** Returns room for one more binary, in the global scope. */
  public MemorySegment place(long byteSize) {
    long offset = ArenaLayout.roundUp(used, ALIGNMENT);
    if (byteSize > buffer.byteSize() - offset) {
      grow(Math.addExact(offset, byteSize));
    }
    MemorySegment gap = buffer.asSlice(used, offset - used);
    var _ = gap.fill((byte) 0); // nobody sees bytes of an earlier unit, not even in the gaps
    used = offset + byteSize;
    return buffer.asSlice(offset, byteSize);
  }

  private void grow(long needed) {
    pieces.ensureCapacity(pieces.size() + 1);
    Piece larger = allocator.take(Math.max(needed, 2 * buffer.byteSize()), this);
    pieces.add(larger);
    allocator.pressure().ended(countedBytes, epoch);
    countedBytes += larger.countedBytes();
    epoch = allocator.pressure().made(countedBytes);
    BulkCopy.copy(buffer.asSlice(0, used), larger.bytes().asSlice(0, used));
    buffer = larger.bytes();
  }

  /** Returns all binaries and the gaps between them, in the global scope. */
  public MemorySegment bytes() {
    return buffer.asSlice(0, used);
  }

  @Override
  public long unit() {
    return unit;
  }

  @Override
  protected String arena() {
    return arena.toString();
  }

  @Override
  protected void holding(HolderKind newKind, long sinceMillis) {
    boolean nowClosing = newKind == HolderKind.CLOSING_LEASE;
    if (nowClosing != closing) {
      closing = nowClosing;
      allocator.closing(nowClosing ? 1 : -1);
    }
  }

  @Override
  protected void released() {
    try {
      if (closing) {
        allocator.closing(-1);
      }
      allocator.pressure().ended(countedBytes, epoch);
    } finally {
      giveFrom(0);
    }
  }

  private void giveFrom(int index) {
    if (index < pieces.size()) {
      try {
        allocator.give(pieces.get(index));
      } finally {
        giveFrom(index + 1);
      }
    }
  }

  @Override
  protected void leaked() {
    allocator.leaked();
  }
}
