package dev.holdfast.arena;

/**
 * Where one binary lies in its unit.
 *
 * @param offset bytes from the start of the arena's data that belong to the unit; a pool counts
 *     from the start of the unit's segment
 * @param byteSize length in bytes
 */
public record Placement(long offset, long byteSize) {}
