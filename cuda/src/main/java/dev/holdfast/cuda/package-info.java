/**
 * Page-locked memory and copies to and from CUDA devices.
 *
 * <p>The driver library is looked for when it is first needed; nothing here needs it at build time,
 * and where there is none {@link dev.holdfast.cuda.CudaDriver#isAvailable} says so and nothing else
 * changes.
 */
@NullMarked
package dev.holdfast.cuda;

import org.jspecify.annotations.NullMarked;
