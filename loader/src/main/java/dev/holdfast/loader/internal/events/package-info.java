/** Events for the flight recorder. */
@NullMarked
package dev.holdfast.loader.internal.events;

import org.jspecify.annotations.NullMarked;
