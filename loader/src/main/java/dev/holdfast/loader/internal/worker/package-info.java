/** What runs in a worker process. */
@NullMarked
package dev.holdfast.loader.internal.worker;

import org.jspecify.annotations.NullMarked;
