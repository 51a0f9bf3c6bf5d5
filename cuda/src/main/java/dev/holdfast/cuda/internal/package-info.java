/** The CUDA driver as downcalls, and what keeps its memory until a copy has ended. */
@NullMarked
package dev.holdfast.cuda.internal;

import org.jspecify.annotations.NullMarked;
