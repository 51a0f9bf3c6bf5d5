package dev.holdfast.loader.internal.pipeline;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * How long a stage took for its items, as bytes that cross: HdrHistogram's compressed form, version
 * 2. That says itself how much memory it wants, so what has crossed is compared with our own first.
 *
 * <pre>
 *   u32 mark, u32 bytes behind it, which are compressed:
 *     u32 mark, u32 bytes of the counts, u32 0, u32 digits, u64 least, u64 most, f64 ratio, counts
 * </pre>
 */
final class StageTimes {
  /** What took longer is counted as this. */
  static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

  private static final int DIGITS = 2;
  private static final int OUTER_BYTES = 8;
  private static final int HEADER_BYTES = 40;
  private static final int LENGTH_OFFSET = 4; // in the header, as in front of it
  private static final byte[] OWN = shape(encode(new Histogram(LONGEST_NANOS, DIGITS)));

  private StageTimes() {}

  /** Makes a histogram that any number of threads may add to. */
  static ConcurrentHistogram ofThreads() {
    return new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
  }

  /** Returns a histogram as bytes. */
  static byte[] encode(Histogram histogram) {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Arrays.copyOf(bytes.array(), length);
  }

  /**
   * Reads what {@link #encode} made.
   *
   * @throws IllegalArgumentException when it is damaged
   */
  static Histogram decode(byte[] bytes) {
    if (!Arrays.equals(OWN, shape(bytes))) {
      throw new IllegalArgumentException("not the times of a stage: bytes=" + bytes.length);
    }
    try {
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1);
    } catch (DataFormatException | RuntimeException e) {
      throw new IllegalArgumentException("times that are damaged: bytes=" + bytes.length, e);
    }
  }

  /** Returns whether bytes that have crossed are such. */
  static boolean canBeRead(byte[] bytes) {
    try {
      var _ = decode(bytes);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Returns the numbers in front of the counts but for lengths, or nothing when they are not there.
   */
  private static byte[] shape(byte[] bytes) {
    byte[] shape = Arrays.copyOf(bytes, OUTER_BYTES + HEADER_BYTES);
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(bytes, OUTER_BYTES, Math.max(0, bytes.length - OUTER_BYTES));
      int read = inflater.inflate(shape, OUTER_BYTES, HEADER_BYTES);
      Arrays.fill(shape, LENGTH_OFFSET, OUTER_BYTES, (byte) 0);
      Arrays.fill(shape, OUTER_BYTES + LENGTH_OFFSET, 2 * OUTER_BYTES, (byte) 0);
      return read == HEADER_BYTES ? shape : new byte[0];
    } catch (DataFormatException | IndexOutOfBoundsException e) {
      return new byte[0];
    } finally {
      inflater.end();
    }
  }
}
