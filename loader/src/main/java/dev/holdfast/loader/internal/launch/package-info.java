/** Starts worker processes and watches over them from the parent's side. */
@NullMarked
package dev.holdfast.loader.internal.launch;

import org.jspecify.annotations.NullMarked;
