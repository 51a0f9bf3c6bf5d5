package dev.holdfast.arena.payload;

import java.io.InputStream;
import java.io.StreamCorruptedException;

/** Lets an object stream read on where a cursor stands. One thread's. */
final class CursorInput extends InputStream {
  private final ByteCursor cursor;

  CursorInput(ByteCursor cursor) {
    this.cursor = cursor;
  }

  @Override
  public int read() throws StreamCorruptedException {
    return cursor.remaining() == 0 ? -1 : cursor.oneByte() & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) {
    return cursor.read(bytes, offset, length);
  }

  @Override
  public int available() {
    return cursor.remaining();
  }
}
