/**
 * Pipelines: stages on threads and, in process regions, in worker processes. {@link
 * dev.holdfast.loader.pipeline.Pipeline} describes one, {@link
 * dev.holdfast.loader.pipeline.PipelineIterable} runs it.
 */
@NullMarked
package dev.holdfast.loader.pipeline;

import org.jspecify.annotations.NullMarked;
