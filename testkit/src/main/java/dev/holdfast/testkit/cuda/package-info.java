/** A stand-in for the CUDA driver library, and a checker for the log that it writes. */
@NullMarked
package dev.holdfast.testkit.cuda;

import org.jspecify.annotations.NullMarked;
