package dev.holdfast.arena.internal.output;

import java.lang.foreign.MemorySegment;

/**
 * Memory that was taken from an allocator and is to be given back once.
 *
 * @param slab where it lies
 * @param index which piece of the slab it is
 * @param bytes its bytes, at least as many as were asked for, in the global scope
 */
public record Piece(Slab slab, int index, MemorySegment bytes) {

  /** Returns the size that it counts with. */
  long countedBytes() {
    return SizeClasses.bytes(slab.sizeClass());
  }
}
