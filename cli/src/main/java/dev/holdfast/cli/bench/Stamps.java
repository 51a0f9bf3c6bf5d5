package dev.holdfast.cli.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Words that say which item of which pass some bytes belong to and where in it they lie. The plan
 * of a pass says where they are stamped and checked.
 */
public final class Stamps {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long EDGE = 64;
  private static final long BLOCK = 64 << 10;
  private static final long ODD = 0x9E3779B97F4A7C15L;

  /** No 32-bit float of a stamp is a NaN, whose bits Java serialization does not keep. */
  private static final long NUMBERS_ONLY = ~0x4000_0000_4000_0000L;

  private static final int NUMBERS_ONLY_BYTE = ~0x40;

  private Stamps() {}

  /**
   * Stamps an item's bytes.
   *
   * @param bytes the item
   * @param plan its pass
   * @param unit its number in the pass
   */
  public static void write(MemorySegment bytes, PassPlan plan, int unit) {
    long base = base(plan, unit);
    long size = bytes.byteSize();
    if (plan.stamped() == Stamped.EVERY_WORD) {
      writeRange(bytes, 0, size, base);
      return;
    }
    writeRange(bytes, 0, Math.min(EDGE, size), base);
    writeRange(bytes, lastEdge(size), size, base);
    if (plan.stamped() == Stamped.EDGES) {
      return;
    }
    for (long offset = sample(unit); offset + Long.BYTES <= size; offset += BLOCK) {
      bytes.set(WORD, offset, word(base, offset));
    }
  }

  /**
   * Checks an item's bytes.
   *
   * @param bytes the item
   * @param plan its pass
   * @param unit its number in the pass
   * @return whether all words that {@link #write} stamps are there
   */
  public static boolean check(MemorySegment bytes, PassPlan plan, int unit) {
    long base = base(plan, unit);
    long size = bytes.byteSize();
    if (plan.stamped() == Stamped.EVERY_WORD) {
      return checkRange(bytes, 0, size, base);
    }
    boolean right =
        checkRange(bytes, 0, Math.min(EDGE, size), base)
            && checkRange(bytes, lastEdge(size), size, base);
    if (plan.stamped() == Stamped.EDGES) {
      return right;
    }
    for (long offset = sample(unit); right && offset + Long.BYTES <= size; offset += BLOCK) {
      right = bytes.get(WORD, offset) == word(base, offset);
    }
    return right;
  }

  private static void writeRange(MemorySegment bytes, long from, long to, long base) {
    long offset = from;
    for (; offset + Long.BYTES <= to; offset += Long.BYTES) {
      bytes.set(WORD, offset, word(base, offset));
    }
    for (; offset < to; offset++) {
      bytes.set(ValueLayout.JAVA_BYTE, offset, lastByte(base, offset));
    }
  }

  private static boolean checkRange(MemorySegment bytes, long from, long to, long base) {
    boolean right = true;
    long offset = from;
    for (; offset + Long.BYTES <= to; offset += Long.BYTES) {
      right &= bytes.get(WORD, offset) == word(base, offset);
    }
    for (; offset < to; offset++) {
      right &= bytes.get(ValueLayout.JAVA_BYTE, offset) == lastByte(base, offset);
    }
    return right;
  }

  private static long word(long base, long offset) {
    return (base + offset * ODD) & NUMBERS_ONLY;
  }

  /** The upper bits of a product depend on all of both numbers. */
  private static byte lastByte(long base, long offset) {
    return (byte) ((base + offset * ODD) >>> (Long.SIZE - Byte.SIZE) & NUMBERS_ONLY_BYTE);
  }

  private static long base(PassPlan plan, int unit) {
    return ((long) plan.number() << 32 | (unit & 0xffff_ffffL)) * ODD + 1;
  }

  /** Words start at multiples of eight, so that no two stamps share a byte. */
  private static long lastEdge(long size) {
    return Math.max(0, size - EDGE) / Long.BYTES * Long.BYTES;
  }

  private static long sample(int unit) {
    return (long) unit * Long.BYTES % BLOCK;
  }
}
