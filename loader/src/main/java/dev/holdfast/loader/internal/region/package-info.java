/** Runs the stages of regions in worker processes. */
@NullMarked
package dev.holdfast.loader.internal.region;

import org.jspecify.annotations.NullMarked;
