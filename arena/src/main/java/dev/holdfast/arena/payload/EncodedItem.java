package dev.holdfast.arena.payload;

import java.lang.foreign.MemorySegment;

/**
 * An item as its record. Valid until the next call of the encoder that made it.
 *
 * @param bytes the whole record, on the heap
 * @param binaryBytes bytes of the binaries that lie in the arena, copied there or filled in place
 * @param binaries how many binaries those are
 */
public record EncodedItem(MemorySegment bytes, long binaryBytes, int binaries) {}
