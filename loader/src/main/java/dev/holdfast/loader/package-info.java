/**
 * Runs iterables in worker processes. Start at {@link dev.holdfast.loader.Subprocess#iterate}.
 *
 * <p>A worker is a child JVM with the same class path. What it yields comes back through a channel
 * in shared memory; large binaries come through an arena, when one is given, and arrive as views.
 */
@NullMarked
package dev.holdfast.loader;

import org.jspecify.annotations.NullMarked;
