/** Small programs, each a real use. They use the published modules alone. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
