/** An arena of one's own, and a program that uses it. */
@NullMarked
package dev.holdfast.examples.folder;

import org.jspecify.annotations.NullMarked;
