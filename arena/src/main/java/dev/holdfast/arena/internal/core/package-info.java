/**
 * What all arenas share in one process: memory, claims, shutdown, takeover, the starvation guard.
 */
@NullMarked
package dev.holdfast.arena.internal.core;

import org.jspecify.annotations.NullMarked;
