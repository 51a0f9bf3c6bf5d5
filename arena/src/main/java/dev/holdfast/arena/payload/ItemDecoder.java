package dev.holdfast.arena.payload;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.OpenUnit;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.OptionalDataException;
import java.io.StreamCorruptedException;
import java.io.UTFDataFormatException;
import java.io.WriteAbortedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records. {@link #register} checks the whole record before anything of it is used, on the
 * channel's thread; {@link #restore} shares nothing between threads but the codec's reader.
 */
final class ItemDecoder implements ItemCodec.Decoder {
  /** No entry of the table is shorter. */
  private static final int MIN_ENTRY_BYTES = 5;

  private final PayloadHandlers handlers;
  private final EnvelopeCodec.Reader envelopes;
  private final boolean writable;
  private final CRC32C checksum = new CRC32C();

  ItemDecoder(PayloadHandlers handlers, EnvelopeCodec.Reader envelopes, boolean writable) {
    this.handlers = handlers;
    this.envelopes = envelopes;
    this.writable = writable;
  }

  @Override
  public Envelope register(MemorySegment recordBytes) {
    if (recordBytes.byteSize() > Copies.MAX_ARRAY_LENGTH) {
      throw Corruption.record("longer than an array");
    }
    byte[] copy = new byte[(int) recordBytes.byteSize()];
    Copies.toArray(recordBytes, ValueLayout.JAVA_BYTE, copy, copy.length);
    return register(copy);
  }

  @Override
  public Envelope register(byte[] bytes) {
    try {
      return registerChecked(bytes);
    } catch (StreamCorruptedException e) {
      throw Corruption.record(e);
    }
  }

  private Envelope registerChecked(byte[] bytes) throws StreamCorruptedException {
    if (bytes.length < RecordLayout.BODY_OFFSET) {
      throw Corruption.record("shorter than its fixed fields");
    }
    if (RecordLayout.get(bytes, RecordLayout.FORMAT_OFFSET) != RecordLayout.FORMAT) {
      throw Corruption.record("of another format");
    }
    ByteCursor cursor = new ByteCursor(bytes, RecordLayout.BODY_OFFSET, bytes.length);
    int bodySize = size(bytes, RecordLayout.BODY_SIZE_OFFSET);
    int headSize = size(bytes, RecordLayout.HEAD_SIZE_OFFSET);
    int tableSize = size(bytes, RecordLayout.TABLE_SIZE_OFFSET);
    cursor.skip(bodySize);
    int headStart = cursor.skip(headSize);
    int tableStart = cursor.skip(tableSize);
    int tableEnd = cursor.position();
    if (RecordLayout.get(bytes, RecordLayout.CHECKSUM_OFFSET)
        != RecordLayout.checksum(checksum, bytes, tableEnd)) {
      throw Corruption.record("its checksum is wrong");
    }
    List<Envelope.Binary> table = readTable(bytes, tableStart, tableEnd);
    if (headSize > 0) {
      envelopes.register(Arrays.copyOfRange(bytes, headStart, headStart + headSize));
    }
    return new Envelope(this, bytes, bodySize, table);
  }

  private static int size(byte[] bytes, int offset) throws StreamCorruptedException {
    int size = RecordLayout.get(bytes, offset);
    if (size < 0) {
      throw new StreamCorruptedException("a size is negative: size=" + size);
    }
    return size;
  }

  private List<Envelope.Binary> readTable(byte[] bytes, int start, int end)
      throws StreamCorruptedException {
    ByteCursor cursor = new ByteCursor(bytes, start, end);
    int count = cursor.length(cursor.remaining() / MIN_ENTRY_BYTES);
    List<Envelope.Binary> table = new ArrayList<>(count);
    long inlineEnd = end;
    for (int i = 0; i < count; i++) {
      Envelope.Binary binary = readEntry(cursor, inlineEnd);
      table.add(binary);
      if (!binary.inArena()) {
        inlineEnd = Math.addExact(binary.offset(), binary.byteSize());
        if (inlineEnd > bytes.length) {
          throw new StreamCorruptedException("an inline binary leaves the record: number=" + i);
        }
      }
    }
    if (cursor.remaining() != 0 || inlineEnd != bytes.length) {
      throw new StreamCorruptedException("the table and the record do not end together");
    }
    return table;
  }

  private Envelope.Binary readEntry(ByteCursor cursor, long inlineStart)
      throws StreamCorruptedException {
    String kind = cursor.ascii(cursor.length(cursor.remaining()));
    byte place = cursor.oneByte();
    boolean inArena = place == RecordLayout.PLACE_ARENA;
    if (!inArena && place != RecordLayout.PLACE_ENVELOPE) {
      throw new StreamCorruptedException("the place of a binary is unknown: place=" + place);
    }
    long byteSize = inArena ? cursor.varint() : cursor.length(Copies.MAX_ARRAY_LENGTH);
    long offset = inArena ? cursor.varint() : inlineStart;
    byte[] meta = cursor.copy(cursor.length(PayloadHandler.MAX_META_BYTES));
    return new Envelope.Binary(kind, handlers.ofKind(kind), inArena, offset, byteSize, meta);
  }

  @Override
  public @Nullable Object restore(Envelope envelope, @Nullable OpenUnit unit, RestoreMode mode)
      throws IOException, ClassNotFoundException {
    if (envelope.decoder() != this) {
      throw new IllegalArgumentException("the envelope was registered with another decoder");
    }
    boolean copies = mode == RestoreMode.HEAP_COPIES && envelope.allowsHeapCopies();
    RestoreSource source = new RestoreSource(envelope, unit, copies, writable);
    InputStream body =
        new ByteArrayInputStream(envelope.bytes(), RecordLayout.BODY_OFFSET, envelope.bodySize());
    Object item;
    try {
      item = envelopes.read(body, source);
    } catch (Throwable e) {
      source.rethrowFailure();
      throw translated(e);
    }
    source.rethrowFailure();
    return item;
  }

  /** Returns or throws what a failed read means to the caller. */
  private static IOException translated(Throwable thrown)
      throws IOException, ClassNotFoundException {
    return switch (thrown) {
      case EOFException e -> throw Corruption.record(e);
      case OptionalDataException e -> throw Corruption.record(e);
      case StreamCorruptedException e -> throw Corruption.record(e);
      case UTFDataFormatException e -> throw Corruption.record(e);
      case WriteAbortedException e -> throw Corruption.record(e);
      case IOException e -> e;
      case ClassNotFoundException e -> throw e;
      case RuntimeException e when e instanceof HoldfastFailure -> throw e;
      case StackOverflowError e -> invalid("the item nests too deeply to be restored", e);
      case OutOfMemoryError e -> throw e;
      default -> invalid("the item could not be restored", thrown);
    };
  }

  private static IOException invalid(String what, Throwable cause) {
    InvalidObjectException invalid =
        new InvalidObjectException(what + ": cause=" + cause.getClass().getName());
    invalid.initCause(cause);
    return invalid;
  }
}
