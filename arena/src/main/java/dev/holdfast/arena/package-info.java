/**
 * Shared memory that is reserved once and used again and again: the arenas, their endpoints, and
 * the leases and holds that keep bytes in place for as long as anybody can read them.
 *
 * <p>Start at {@link dev.holdfast.arena.SharedMemorySegmentPool}. A unit crosses in this order:
 * {@link dev.holdfast.arena.ArenaWriter} writes and commits it, its {@link
 * dev.holdfast.arena.UnitReceipt} travels by any channel, {@link dev.holdfast.arena.ArenaReader}
 * admits and opens it, and a {@link dev.holdfast.arena.UnitLease} says when its storage may be used
 * again.
 */
@NullMarked
package dev.holdfast.arena;

import org.jspecify.annotations.NullMarked;
