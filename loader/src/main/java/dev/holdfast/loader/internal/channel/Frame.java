package dev.holdfast.loader.internal.channel;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A frame in a ring: a whole record or one piece of it. Frames begin on multiples of 8 bytes, and
 * so does the ring's end, so that no field of a header is split; the body may be.
 *
 * <pre>
 *    0  bytes of the body (u32)
 *    4  kind of the record (u8)
 *    5  flags (u8): 1 first piece, 2 last piece, 4 the record is cancelled, 8 counts as an item
 *    6  mark (u16)
 *    8  first number of the record (u64)
 *   16  second number of the record (u64)
 *   24  bytes of the record behind this body (u64)
 *   32  body, filled up to a multiple of 8
 * </pre>
 */
final class Frame {
  static final int HEADER_BYTES = 32;
  static final int FIRST = 1;
  static final int LAST = 2;
  static final int CANCEL = 4;
  static final int ITEM = 8;
  static final short MARK = 0x4846;

  static final long BODY_BYTES = 0;
  static final long KIND = 4;
  static final long FLAGS = 5;
  static final long MARKED = 6;
  static final long NUMBER_ONE = 8;
  static final long NUMBER_TWO = 16;
  static final long REST = 24;

  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Frame() {}

  /** Bytes that a frame takes with a body of a length. */
  static long bytes(long bodyBytes) {
    return HEADER_BYTES + ((bodyBytes + 7) & -8);
  }
}
