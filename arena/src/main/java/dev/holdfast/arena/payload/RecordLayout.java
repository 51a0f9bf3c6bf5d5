package dev.holdfast.arena.payload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The record of an item, little-endian. Numbers in the table have seven bits a byte.
 *
 * <pre>
 *  0  u32  format
 *  4  u32  CRC-32C of the bytes from 8 to the end of the table
 *  8  u32  body bytes
 * 12  u32  head bytes
 * 16  u32  table bytes
 * 20  body: what the envelope codec wrote, markers in the place of binaries
 *     head: definitions that cross once, empty in most records
 *     table: count of binaries, then for each
 *            kind (length, ASCII), place (0 envelope, 1 arena), bytes,
 *            offset (arena only), meta (length, bytes)
 *     the bytes of the binaries whose place is the envelope, in order, to the end of the record
 * </pre>
 */
final class RecordLayout {
  static final int FORMAT = 0x31454648;
  static final int FORMAT_OFFSET = 0;
  static final int CHECKSUM_OFFSET = 4;
  static final int BODY_SIZE_OFFSET = 8;
  static final int HEAD_SIZE_OFFSET = 12;
  static final int TABLE_SIZE_OFFSET = 16;
  static final int BODY_OFFSET = 20;

  static final byte PLACE_ENVELOPE = 0;
  static final byte PLACE_ARENA = 1;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private RecordLayout() {}

  static int get(byte[] record, int offset) {
    return (int) INT.get(record, offset);
  }

  static void set(byte[] record, int offset, int value) {
    INT.set(record, offset, value);
  }

  /** The checksum of a record whose table ends at {@code end}. */
  static int checksum(CRC32C sum, byte[] record, int end) {
    sum.reset();
    sum.update(record, BODY_SIZE_OFFSET, end - BODY_SIZE_OFFSET);
    return (int) sum.getValue();
  }
}
