package dev.holdfast.arena.internal.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Which of two ways copies of about one size take. Which one is faster depends on the processor, on
 * the C library and on where the bytes lie, by half and more, so both are tried, now and then.
 * Threads share a choice; a race between them costs a sample and never a byte.
 */
final class CopyChoice {
  /**
   * Before each of so many copies the JVM copies the beginning again and again, so that the
   * optimizing compiler compiles who calls its copy, which has its speed only there. Otherwise a
   * trial would find the other way faster, and what is not taken is not compiled.
   */
  private static final int REHEARSED_COPIES = 128;

  private static final int REPETITIONS = 64;
  private static final long REPEATED_BYTES = 4096;

  /** The compiler needs some time as well. */
  static final int COPIES_BEFORE_FIRST_TRIAL = 2 * REHEARSED_COPIES;

  /** Trials become rarer, down to one in so many. */
  static final int MOST_COPIES_BEFORE_TRIAL = 1 << 16;

  /** What a trial takes of each way, in turn. */
  static final int SAMPLES_OF_EACH = 8;

  private static final int TIMES_AS_MANY = 2;

  /** The second way is taken when its copies take this part of the first one's at most. */
  private static final double WORTH_IT = 0.95;

  private final CopyWay first;
  private final CopyWay second;
  private final LongSupplier clock;

  private int rehearsed;
  private int copies;
  private int copiesBeforeTrial = COPIES_BEFORE_FIRST_TRIAL;
  private boolean secondIsFaster;

  // Guarded by this.
  private final double[] firstTook = new double[SAMPLES_OF_EACH];
  private final double[] secondTook = new double[SAMPLES_OF_EACH];
  private int firstSamples;
  private int secondSamples;
  private int turn;

  /** Makes the choice between the JVM and the C library. */
  CopyChoice() {
    this(CopyWay.JVM, CopyWay.LIBRARY, System::nanoTime);
  }

  /**
   * Makes a choice between a way that always works and one that may fail where it should not, with
   * a clock that tells nanoseconds.
   */
  CopyChoice(CopyWay first, CopyWay second, LongSupplier clock) {
    this.first = first;
    this.second = second;
    this.clock = clock;
  }

  /** Copies all of a segment to another one of the same size that shares no byte with it. */
  void copy(MemorySegment source, MemorySegment target) {
    copies++;
    if (copies > copiesBeforeTrial) {
      tryOut(source, target);
    } else {
      if (rehearsed < REHEARSED_COPIES) {
        rehearsed++;
        rehearse(source, target);
      }
      copy(secondIsFaster, source, target);
    }
  }

  private void rehearse(MemorySegment source, MemorySegment target) {
    long byteSize = Math.min(REPEATED_BYTES, source.byteSize());
    MemorySegment from = source.asSlice(0, byteSize);
    MemorySegment to = target.asSlice(0, byteSize);
    for (int i = 0; i < REPETITIONS; i++) {
      first.copy(from, to);
    }
  }

  private void tryOut(MemorySegment source, MemorySegment target) {
    boolean bySecond = takeTurn();
    long start = clock.getAsLong();
    boolean asAsked = copy(bySecond, source, target);
    double nanos = asAsked ? clock.getAsLong() - start : Double.POSITIVE_INFINITY;
    took(bySecond, nanos / source.byteSize());
  }

  /**
   * Copies, by the first way where the second one fails: what copies faster makes no copy fail, and
   * where the memory is what is wrong the first one says so. Returns whether it went as asked.
   */
  private boolean copy(boolean bySecond, MemorySegment source, MemorySegment target) {
    if (bySecond) {
      try {
        second.copy(source, target);
        return true;
      } catch (RuntimeException | OutOfMemoryError | StackOverflowError | LinkageError e) {
        first.copy(source, target);
        return false;
      }
    }
    first.copy(source, target);
    return true;
  }

  /** By the Thue-Morse sequence, since copies of two kinds may alternate themselves. */
  private synchronized boolean takeTurn() {
    return (Integer.bitCount(turn++) & 1) != 0;
  }

  private synchronized void took(boolean bySecond, double nanosPerByte) {
    double[] samples = bySecond ? secondTook : firstTook;
    int sample = bySecond ? secondSamples++ : firstSamples++;
    samples[sample % SAMPLES_OF_EACH] = nanosPerByte;
    if (firstSamples >= SAMPLES_OF_EACH && secondSamples >= SAMPLES_OF_EACH) {
      secondIsFaster = median(secondTook) <= WORTH_IT * median(firstTook);
      firstSamples = 0;
      secondSamples = 0;
      turn = 0;
      copiesBeforeTrial = Math.min(TIMES_AS_MANY * copiesBeforeTrial, MOST_COPIES_BEFORE_TRIAL);
      copies = 0;
    }
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
