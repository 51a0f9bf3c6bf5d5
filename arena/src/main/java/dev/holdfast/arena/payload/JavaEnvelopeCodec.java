package dev.holdfast.arena.payload;

import java.io.ObjectInputFilter;
import org.jspecify.annotations.Nullable;

/**
 * The codec over Java serialization: binaries are replaced while the stream writes, and put back
 * while it reads, so that the identity of objects inside an item is kept. Class descriptors, which
 * take most of the time to read, cross once: the stream holds their numbers.
 *
 * <p>Streams are used again from item to item, with their handles cleared in between, so that they
 * remember no object. After a failure, or an item that made them large, they are dropped.
 */
final class JavaEnvelopeCodec implements EnvelopeCodec {
  static final JavaEnvelopeCodec INSTANCE = new JavaEnvelopeCodec();

  /** A stream that has carried a longer body is not used again. */
  static final int REUSE_LIMIT_BYTES = 64 << 10;

  private JavaEnvelopeCodec() {}

  @Override
  public Writer newWriter() {
    return new JavaEnvelopeWriter();
  }

  @Override
  public Reader newReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    return new JavaEnvelopeReader(filter, loader);
  }
}
