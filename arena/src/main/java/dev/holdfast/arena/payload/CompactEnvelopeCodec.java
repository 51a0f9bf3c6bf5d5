package dev.holdfast.arena.payload;

import java.io.ObjectInputFilter;
import org.jspecify.annotations.Nullable;

/**
 * The codec that writes common shapes by itself, and every other subtree through one object stream
 * per item.
 *
 * <p>All subtrees of an item that need Java serialization share that stream with its handles, so
 * identity among them is the stream's affair. When the stream comes to an object that was written
 * beside it, a {@link SharedMarker} takes its place; when the compact part comes to an object that
 * the stream has seen, it is written to the stream, which makes a reference of it. Immutable
 * collections, strings and boxed values are outside of this: to the stream they are new.
 */
final class CompactEnvelopeCodec implements EnvelopeCodec {
  static final CompactEnvelopeCodec INSTANCE = new CompactEnvelopeCodec();

  /** What has carried a longer body is not used again. */
  static final int REUSE_LIMIT_BYTES = 64 << 10;

  private CompactEnvelopeCodec() {}

  @Override
  public Writer newWriter() {
    return new CompactWriter();
  }

  @Override
  public Reader newReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    return new CompactReader(filter, loader);
  }
}
