package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads untrusted bytes from front to end and refuses to leave them. */
final class ByteCursor {
  private static final byte[] EMPTY = {};

  private static final VarHandle CHAR =
      MethodHandles.byteArrayViewVarHandle(char[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int end;
  private int position;

  ByteCursor(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  int position() {
    return position;
  }

  int remaining() {
    return end - position;
  }

  /** Reads a number that is not negative. */
  long varint() throws StreamCorruptedException {
    long value = bits();
    if (value < 0) {
      throw new StreamCorruptedException("a number is out of range: position=" + position);
    }
    return value;
  }

  /** Reads a number of 64 bits. */
  long bits() throws StreamCorruptedException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = oneByte();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new StreamCorruptedException("a number is out of range: position=" + position);
  }

  /** Reads a count or a length of at most {@code limit}. */
  int length(int limit) throws StreamCorruptedException {
    long value = varint();
    if (value > limit) {
      throw new StreamCorruptedException(
          "a length is out of range: length=%d limit=%d position=%d"
              .formatted(value, limit, position));
    }
    return (int) value;
  }

  byte oneByte() throws StreamCorruptedException {
    if (position >= end) {
      throw new StreamCorruptedException("the bytes end too early: position=" + position);
    }
    return bytes[position++];
  }

  byte[] copy(int length) throws StreamCorruptedException {
    int start = skip(length);
    return length == 0 ? EMPTY : Arrays.copyOfRange(bytes, start, position);
  }

  String ascii(int length) throws StreamCorruptedException {
    int start = skip(length);
    return new String(bytes, start, length, StandardCharsets.ISO_8859_1);
  }

  int fixedInt() throws StreamCorruptedException {
    return (int) INT.get(bytes, skip(Integer.BYTES));
  }

  long fixedLong() throws StreamCorruptedException {
    return (long) LONG.get(bytes, skip(Long.BYTES));
  }

  /** Reads characters of two bytes each, also those that are half a pair. */
  String chars(int count) throws StreamCorruptedException {
    int start = skip(2 * count);
    char[] chars = new char[count];
    for (int i = 0; i < count; i++) {
      chars[i] = (char) CHAR.get(bytes, start + 2 * i);
    }
    return new String(chars);
  }

  /** Copies up to {@code length} bytes and returns how many there were, or -1 at the end. */
  int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    int count = Math.min(length, remaining());
    if (count == 0) {
      return -1;
    }
    System.arraycopy(bytes, position, target, offset, count);
    position += count;
    return count;
  }

  /** Passes over bytes and returns where they begin. */
  int skip(int length) throws StreamCorruptedException {
    if (length > remaining()) {
      throw new StreamCorruptedException(
          "the bytes end too early: position=%d length=%d".formatted(position, length));
    }
    int start = position;
    position += length;
    return start;
  }
}
