/** Looks at arenas of running processes and at leftovers. It only reads. */
@NullMarked
package dev.holdfast.arena.internal.inspect;

import org.jspecify.annotations.NullMarked;
