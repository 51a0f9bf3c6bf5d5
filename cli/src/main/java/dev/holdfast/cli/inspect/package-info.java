/** What {@code holdfast inspect} and {@code holdfast sweep} print. */
@NullMarked
package dev.holdfast.cli.inspect;

import org.jspecify.annotations.NullMarked;
