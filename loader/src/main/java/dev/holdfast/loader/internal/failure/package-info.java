/** How errors cross from a worker to its parent. */
@NullMarked
package dev.holdfast.loader.internal.failure;

import org.jspecify.annotations.NullMarked;
