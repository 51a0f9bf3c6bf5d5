/** The only place where native functions are bound and called. */
@NullMarked
package dev.holdfast.arena.internal.os;

import org.jspecify.annotations.NullMarked;
