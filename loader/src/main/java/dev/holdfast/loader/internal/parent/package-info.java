/** The consumer's side of a worker. */
@NullMarked
package dev.holdfast.loader.internal.parent;

import org.jspecify.annotations.NullMarked;
