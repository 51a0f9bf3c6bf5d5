package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads untrusted bytes from front to end and refuses to leave them. */
final class ByteCursor {
  private static final byte[] EMPTY = {};

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
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = oneByte();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        if (value < 0) {
          break;
        }
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
