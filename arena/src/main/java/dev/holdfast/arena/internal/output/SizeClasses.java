package dev.holdfast.arena.internal.output;

/**
 * Sizes of buffers: four steps from each power of two to the next, so that at most a fifth of one
 * is unused.
 */
final class SizeClasses {
  static final int COUNT = 4 * 52 + 1;

  private static final int SMALLEST_BITS = 10;
  private static final int STEPS_BITS = 2;
  private static final int STEPS = 1 << STEPS_BITS;

  private SizeClasses() {}

  /** Returns the class of the smallest buffer that holds a number of bytes. */
  static int of(long byteSize) {
    if (byteSize <= 1L << SMALLEST_BITS) {
      return 0;
    }
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(byteSize - 1);
    int step = (int) ((byteSize - 1 - (1L << power)) >>> (power - STEPS_BITS));
    return (power - SMALLEST_BITS) * STEPS + step + 1;
  }

  /** Returns the size of a class's buffers, a multiple of 64. */
  static long bytes(int sizeClass) {
    if (sizeClass == 0) {
      return 1L << SMALLEST_BITS;
    }
    int power = SMALLEST_BITS + (sizeClass - 1) / STEPS;
    long step = 1L << (power - STEPS_BITS);
    return (1L << power) + ((sizeClass - 1) % STEPS + 1) * step;
  }
}
