package dev.holdfast.testkit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Assertions;

/**
 * Payloads that say whose they are. Each word of 8 bytes holds the epoch (16 bits), the unit (32
 * bits) and the word's own index (16 bits), little-endian, so that any mix-up of units, passes or
 * places is seen. The bytes behind the last whole word are the first bytes of one more word.
 */
public final class Stamps {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long EDGE = 64;
  private static final long STRIDE = 64 << 10;

  private Stamps() {}

  /**
   * Returns one word of a payload.
   *
   * @param unit the unit's number
   * @param epoch the pass
   * @param index counted in words from the payload's start
   * @return the word
   */
  public static long word(long unit, long epoch, long index) {
    return ((epoch & 0xffff) << 48) | ((unit & 0xffff_ffffL) << 16) | (index & 0xffff);
  }

  /**
   * Stamps every word.
   *
   * @param target the payload
   * @param unit the unit's number
   * @param epoch the pass
   */
  public static void fill(MemorySegment target, long unit, long epoch) {
    for (long at = 0; at < target.byteSize(); at += 8) {
      set(target, at, word(unit, epoch, at >>> 3));
    }
  }

  /**
   * Returns a stamped payload on the heap.
   *
   * @param byteSize its length
   * @param unit the unit's number
   * @param epoch the pass
   * @return the payload
   */
  public static MemorySegment payload(int byteSize, long unit, long epoch) {
    MemorySegment payload = MemorySegment.ofArray(new byte[byteSize]);
    fill(payload, unit, epoch);
    return payload;
  }

  /**
   * Checks every word.
   *
   * @param payload what arrived
   * @param unit the number that it should carry
   * @param epoch the pass that it should carry
   */
  public static void verify(MemorySegment payload, long unit, long epoch) {
    for (long at = 0; at < payload.byteSize(); at += 8) {
      check(payload, at, unit, epoch);
    }
  }

  /**
   * Stamps the first and the last 64 bytes and one word in each 64 KiB.
   *
   * @param target the payload
   * @param unit the unit's number
   * @param epoch the pass
   */
  public static void fillSparse(MemorySegment target, long unit, long epoch) {
    long size = target.byteSize();
    for (long at = 0; at < size; at = nextSparse(at, size)) {
      set(target, at, word(unit, epoch, at >>> 3));
    }
  }

  /**
   * Checks what {@link #fillSparse} stamped.
   *
   * @param payload what arrived
   * @param unit the number that it should carry
   * @param epoch the pass that it should carry
   */
  public static void verifySparse(MemorySegment payload, long unit, long epoch) {
    long size = payload.byteSize();
    for (long at = 0; at < size; at = nextSparse(at, size)) {
      check(payload, at, unit, epoch);
    }
  }

  private static long nextSparse(long at, long size) {
    long next = at + 8;
    long tail = Math.max(EDGE, (size - EDGE) & -8L);
    if (next < EDGE || next > tail) {
      return next;
    }
    long stride = (at / STRIDE + 1) * STRIDE;
    return Math.min(stride, tail);
  }

  private static void set(MemorySegment target, long at, long word) {
    long left = target.byteSize() - at;
    if (left >= 8) {
      target.set(WORD, at, word);
    } else {
      for (int i = 0; i < left; i++) {
        target.set(ValueLayout.JAVA_BYTE, at + i, (byte) (word >>> (8 * i)));
      }
    }
  }

  private static void check(MemorySegment payload, long at, long unit, long epoch) {
    long expected = word(unit, epoch, at >>> 3);
    long left = payload.byteSize() - at;
    long found = 0;
    if (left >= 8) {
      found = payload.get(WORD, at);
    } else {
      expected &= (1L << (8 * left)) - 1;
      for (int i = 0; i < left; i++) {
        found |= (payload.get(ValueLayout.JAVA_BYTE, at + i) & 0xffL) << (8 * i);
      }
    }
    if (found != expected) {
      Assertions.fail(
          "wrong bytes at offset %d of %d: expected epoch %d unit %d (%016x), found %016x"
              .formatted(at, payload.byteSize(), epoch, unit, expected, found));
    }
  }
}
