/** How threads wait for the other process. */
@NullMarked
package dev.holdfast.arena.internal.wait;

import org.jspecify.annotations.NullMarked;
