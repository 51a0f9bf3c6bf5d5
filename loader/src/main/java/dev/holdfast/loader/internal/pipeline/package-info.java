/** Runs the stages of pipelines on threads. */
@NullMarked
package dev.holdfast.loader.internal.pipeline;

import org.jspecify.annotations.NullMarked;
