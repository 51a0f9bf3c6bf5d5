package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Writes items by Java serialization. One thread's. */
final class JavaEnvelopeWriter implements EnvelopeCodec.Writer {
  private final SentDescriptors descriptors = new SentDescriptors();
  private final OutputRelay relay = new OutputRelay();

  private @Nullable ItemObjectOutput stream;

  @Override
  public void write(@Nullable Object item, BinarySink sink, OutputStream body) throws IOException {
    ItemObjectOutput out = stream;
    stream = null;
    relay.target(body);
    try {
      if (out == null) {
        out = new ItemObjectOutput(relay, descriptors);
      }
      out.writeItem(item, sink);
      long bytes = relay.count();
      relay.target(OutputStream.nullOutputStream());
      if (bytes <= JavaEnvelopeCodec.REUSE_LIMIT_BYTES) {
        out.forget();
        stream = out;
      }
    } finally {
      relay.target(OutputStream.nullOutputStream());
    }
  }

  @Override
  public void writeHead(OutputStream head) throws IOException {
    descriptors.writeFresh(head);
  }

  @Override
  public void sent() {
    descriptors.keepFresh();
  }

  @Override
  public void dropped() {
    descriptors.forgetFresh();
  }
}
