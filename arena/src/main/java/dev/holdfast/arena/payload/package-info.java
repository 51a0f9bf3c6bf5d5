/**
 * How items become bytes and come back: tensors, the handlers that claim binaries, and the codec
 * that puts everything else into a small envelope.
 *
 * <p>Start at {@link dev.holdfast.arena.payload.ItemCodec}. An item is walked once. Each object
 * that a {@link dev.holdfast.arena.payload.PayloadHandler} claims is a binary: from the threshold
 * on its bytes go to the arena, below it they travel in the envelope. What is left goes through an
 * {@link dev.holdfast.arena.payload.EnvelopeCodec}. Arrays come back as private arrays that may be
 * written; buffers, segments and tensors come back read-only, whatever their size, unless the
 * reading side asked for writable views.
 */
@NullMarked
package dev.holdfast.arena.payload;

import org.jspecify.annotations.NullMarked;
