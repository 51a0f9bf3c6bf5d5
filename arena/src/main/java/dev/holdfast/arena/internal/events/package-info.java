/** The events of the flight recorder: off by default, cheap when off. */
@NullMarked
package dev.holdfast.arena.internal.events;

import org.jspecify.annotations.NullMarked;
