package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Writes items in the compact format, one after the other. One thread's. */
final class CompactWriter implements EnvelopeCodec.Writer {
  private final SentDescriptors descriptors = new SentDescriptors();
  private final RecordBuffer own = new RecordBuffer();
  private final CompactOutput output = new CompactOutput(descriptors);

  @Override
  public void write(@Nullable Object item, BinarySink sink, OutputStream body) throws IOException {
    if (body instanceof RecordBuffer record) {
      output.writeItem(item, sink, record);
    } else {
      own.begin();
      int start = own.size();
      output.writeItem(item, sink, own);
      body.write(own.array(), start, own.size() - start);
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
