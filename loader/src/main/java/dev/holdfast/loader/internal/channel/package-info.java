/** The message ring between two processes. */
@NullMarked
package dev.holdfast.loader.internal.channel;

import org.jspecify.annotations.NullMarked;
