/** Places where tests can pause, fail or kill a process. */
@NullMarked
package dev.holdfast.arena.internal.fault;

import org.jspecify.annotations.NullMarked;
