package dev.holdfast.loader.internal.worker;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What a region's worker yields: which inputs are answered, perhaps with a result.
 *
 * @param bytes what is answered
 * @param hasValue whether there is a result
 * @param value the result
 */
public record Answer(MemorySegment bytes, boolean hasValue, @Nullable Object value) {}
