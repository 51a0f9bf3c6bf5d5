package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.StreamCorruptedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reads items by Java serialization. Any thread reads, one registers. */
final class JavaEnvelopeReader implements EnvelopeCodec.Reader {
  private final KnownDescriptors descriptors = new KnownDescriptors();
  private final @Nullable ObjectInputFilter filter;
  private final ClassLoader loader;
  private final boolean reusable;

  /** The stream for the next item; two threads that read at once have one of their own each. */
  private final AtomicReference<@Nullable ItemObjectInput> idle = new AtomicReference<>();

  JavaEnvelopeReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    this.filter = ItemFilter.merged(filter);
    this.loader = loader;
    // Filters may count what a stream has read, so with one each item needs a stream of its own.
    this.reusable = this.filter == null && !ItemFilter.hasForeignFactory();
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
    ItemObjectInput in = idle.getAndSet(null);
    if (in == null) {
      in = new ItemObjectInput(descriptors, new ItemFilter(filter), loader);
    }
    int bytes = body.available();
    Object item = in.readItem(body, source);
    if (reusable && bytes <= JavaEnvelopeCodec.REUSE_LIMIT_BYTES) {
      in.forget();
      idle.set(in);
    }
    return item;
  }
}
