package dev.holdfast.arena.payload;

/** Numbers in seven bits a byte, the lowest first; the high bit says that more follow. */
final class Varint {
  static final int MAX_BYTES = 10;

  private Varint() {}

  /** Writes a number and returns where it ends. */
  static int write(byte[] target, int position, long value) {
    int end = position;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      target[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    target[end++] = (byte) rest;
    return end;
  }
}
