/** Recycled off-heap memory for the copies that a reader hands out. */
@NullMarked
package dev.holdfast.arena.internal.output;

import org.jspecify.annotations.NullMarked;
