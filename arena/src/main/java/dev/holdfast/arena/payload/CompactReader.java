package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.StreamCorruptedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads items in the compact format. Any thread reads, one registers. */
final class CompactReader implements EnvelopeCodec.Reader {
  private final KnownDescriptors descriptors = new KnownDescriptors();
  private final @Nullable ObjectInputFilter filter;
  private final ClassLoader loader;
  private final boolean filtered;

  /** What reads the next item; two threads that read at once have one of their own each. */
  private final AtomicReference<@Nullable CompactInput> idle = new AtomicReference<>();

  CompactReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    this.filter = ItemFilter.merged(filter);
    this.loader = loader;
    // Filters may count what a stream has read, so with one each item needs a stream of its own.
    this.filtered = this.filter != null || ItemFilter.hasForeignFactory();
  }

  @Override
  public void register(byte[] head) {
    try {
      descriptors.register(head);
    } catch (StreamCorruptedException e) {
      throw Corruption.record(e);
    }
  }

  @Override
  public @Nullable Object read(InputStream body, BinarySource source)
      throws IOException, ClassNotFoundException {
    byte[] bytes = body.readNBytes(body.available());
    CompactInput input = idle.getAndSet(null);
    if (input == null) {
      input = new CompactInput(descriptors, new ItemFilter(filter), loader);
    }
    Object item;
    try {
      item = input.readItem(bytes, source, filtered);
    } catch (InvalidClassException e) {
      if (input.limitExceeded()) {
        throw Corruption.record(e);
      }
      throw e;
    }
    if (!filtered && bytes.length <= CompactEnvelopeCodec.REUSE_LIMIT_BYTES) {
      input.forget();
      idle.set(input);
    }
    return item;
  }
}
