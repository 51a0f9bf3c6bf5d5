package dev.holdfast.arena.internal.output;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.Holds;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One mapping, cut into equal pieces. A large buffer is the only piece of its slab; small ones
 * share a slab, so that many small outputs do not use up the process's number of mappings. Once
 * every piece is idle the slab can be evicted, which makes it a task of the closer: it unmaps.
 */
final class Slab extends Closer.Task implements Holds.Storage {
  /** Links of {@link SlabList}, one for each list that a slab can be in. */
  final @Nullable Slab[] next = new Slab[SlabList.LISTS];

  final @Nullable Slab[] previous = new Slab[SlabList.LISTS];

  private final int sizeClass;
  private final long pieceBytes;
  private final MemoryMapping mapping;
  private final @Nullable PagePinner pinner;
  private final MemorySegment memory;
  private final Piece[] pieces;
  private final AtomicReferenceArray<@Nullable Owned> owners;

  private final int[] idle; // this and the following guarded by the allocator
  private int idleCount;
  private int usedOnce;

  /**
   * Makes a slab of fresh memory.
   *
   * @param sizeClass of its pieces
   * @param count how many there are
   * @param pieceBytes bytes of each, its headroom included
   * @param mapping all of them; the slab becomes its one owner
   * @param pinner what has page-locked the mapping, or null
   */
  Slab(
      int sizeClass,
      int count,
      long pieceBytes,
      MemoryMapping mapping,
      @Nullable PagePinner pinner) {
    this.sizeClass = sizeClass;
    this.pieceBytes = pieceBytes;
    this.mapping = mapping;
    this.pinner = pinner;
    this.memory = mapping.segment();
    this.pieces = new Piece[count];
    this.owners = new AtomicReferenceArray<>(count);
    this.idle = new int[count];
    for (int i = 0; i < count; i++) {
      pieces[i] = new Piece(this, i, memory.asSlice(i * pieceBytes, pieceBytes));
      idle[i] = count - 1 - i; // so that the first one goes first
    }
    this.idleCount = count;
  }

  int sizeClass() {
    return sizeClass;
  }

  /** Returns the size that its pieces count with, all together. */
  long byteSize() {
    return SizeClasses.bytes(sizeClass) * idle.length;
  }

  /** Returns whether this pinner has page-locked the memory; null stands for none. */
  @SuppressWarnings("ReferenceEquality") // a pinner is itself, whatever it says of its equals
  boolean isLockedBy(@Nullable PagePinner wanted) {
    return pinner == wanted;
  }

  boolean isIdle() {
    return idleCount == idle.length;
  }

  boolean isUsedUp() {
    return idleCount == 0;
  }

  /** Returns whether the next piece was in use before. */
  boolean recycles() {
    return idle[idleCount - 1] < usedOnce;
  }

  Piece take() {
    idleCount--;
    int index = idle[idleCount];
    usedOnce = Math.max(usedOnce, index + 1);
    return pieces[index];
  }

  void give(int index) {
    idle[idleCount] = index;
    idleCount++;
  }

  /** Says whose a piece is, for who looks for it by address. */
  void setOwner(int index, @Nullable Owned owner) {
    owners.set(index, owner);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public @Nullable Owned ownerAt(long address) {
    long index = (address - memory.address()) / pieceBytes;
    return index < owners.length() ? owners.get((int) index) : null;
  }

  /**
   * Unmaps. The kernel can refuse when that would split a mapping and there are too many, and
   * whoever page-locked the memory can refuse to end that: then the quarantine has it.
   */
  @Override
  protected boolean run() {
    Holds.unregister(this);
    try {
      var _ = mapping.releaseNow();
    } finally {
      OutputAllocator.left();
    }
    return true;
  }
}
