package dev.holdfast.arena.payload;

import java.lang.foreign.MemorySegment;

/**
 * An item as its record. Valid until the next call of the encoder that made it.
 *
 * @param bytes the whole record, on the heap
 * @param binaryBytes bytes that were written to the arena
 * @param binaries how many binaries were written to the arena
 */
public record EncodedItem(MemorySegment bytes, long binaryBytes, int binaries) {}
