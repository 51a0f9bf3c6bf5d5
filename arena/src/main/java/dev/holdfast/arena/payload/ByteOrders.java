package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.nio.ByteOrder;

/** Byte orders as the meta of buffers. */
final class ByteOrders {
  private static final byte LITTLE = 0;
  private static final byte BIG = 1;

  private ByteOrders() {}

  static byte[] encode(ByteOrder order) {
    return new byte[] {order == ByteOrder.BIG_ENDIAN ? BIG : LITTLE};
  }

  static ByteOrder decode(byte[] meta) throws StreamCorruptedException {
    if (meta.length != 1 || (meta[0] != LITTLE && meta[0] != BIG)) {
      throw new StreamCorruptedException(
          "the byte order of a buffer is unknown: metaBytes=" + meta.length);
    }
    return meta[0] == BIG ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
  }
}
