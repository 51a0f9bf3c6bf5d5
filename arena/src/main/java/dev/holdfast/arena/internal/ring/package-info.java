/** The endpoints of the ring buffer. */
@NullMarked
package dev.holdfast.arena.internal.ring;

import org.jspecify.annotations.NullMarked;
