/** The endpoints of the segment pool. */
@NullMarked
package dev.holdfast.arena.internal.pool;

import org.jspecify.annotations.NullMarked;
