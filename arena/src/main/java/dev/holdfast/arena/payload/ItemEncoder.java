package dev.holdfast.arena.payload;

import dev.holdfast.arena.ArenaWriter;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Encodes items, one after the other. One thread's. */
final class ItemEncoder implements ItemCodec.Encoder {
  private final EnvelopeCodec.Writer envelopes;
  private final OffloadSink sink;
  private final RecordBuffer record = new RecordBuffer();
  private final CRC32C checksum = new CRC32C();

  private boolean unsettled;

  ItemEncoder(PayloadHandlers handlers, EnvelopeCodec.Writer envelopes) {
    this.envelopes = envelopes;
    this.sink = new OffloadSink(handlers);
  }

  @Override
  public EncodedItem encode(@Nullable Object item, @Nullable ArenaWriter writer)
      throws IOException {
    if (unsettled) {
      throw new IllegalStateException(
          "the record before was neither sent nor dropped; call sent() or dropped() first");
    }
    sink.begin(writer);
    record.begin();
    boolean done = false;
    try {
      write(item);
      done = true;
    } catch (Throwable e) {
      throw EncodeFailures.explained(e, sink, item);
    } finally {
      sink.end();
      if (!done) {
        envelopes.dropped();
        record.shrink();
      }
    }
    unsettled = true;
    return new EncodedItem(record.segment(), sink.binaryBytes(), sink.binaries());
  }

  private void write(@Nullable Object item) throws IOException {
    envelopes.write(item, sink, record);
    EncodeFailures.rethrow(sink.arenaFailure());
    int bodyEnd = record.size();
    envelopes.writeHead(record);
    int headEnd = record.size();
    sink.writeTable(record);
    int tableEnd = record.size();
    sink.writeInline(record);
    byte[] bytes = record.array();
    RecordLayout.set(bytes, RecordLayout.FORMAT_OFFSET, RecordLayout.FORMAT);
    RecordLayout.set(bytes, RecordLayout.BODY_SIZE_OFFSET, bodyEnd - RecordLayout.BODY_OFFSET);
    RecordLayout.set(bytes, RecordLayout.HEAD_SIZE_OFFSET, headEnd - bodyEnd);
    RecordLayout.set(bytes, RecordLayout.TABLE_SIZE_OFFSET, tableEnd - headEnd);
    RecordLayout.set(
        bytes, RecordLayout.CHECKSUM_OFFSET, RecordLayout.checksum(checksum, bytes, tableEnd));
  }

  @Override
  public void sent() {
    if (!unsettled) {
      throw new IllegalStateException("there is no record that could have been sent");
    }
    unsettled = false;
    envelopes.sent();
  }

  @Override
  public void dropped() {
    if (unsettled) {
      unsettled = false;
      envelopes.dropped();
    }
  }
}
