package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * One cell of a benchmark: what is measured, in a process of its own.
 *
 * @param transport the transport's name
 * @param payload what an item is
 * @param scope the lifetime of views
 * @param sizeBytes the size of an item's bytes
 * @param items items in each timed pass, or 0 when what was seen before decides
 * @param warmUpItems items in the first pass, in which every word is looked at
 * @param rehearsalItems items at most in the passes in which code is compiled
 * @param passes timed passes
 * @param segments segments of a pool, items that a ring holds, and of the memory that the baseline
 *     copies into
 * @param busyThreads threads that spin in the consumer's process while it is timed
 * @param measure what is measured
 * @param fill how the producer makes an item's bytes
 * @param codec how what is not a payload is written
 * @param length where to find how many items a pass has; null where {@code items} and {@code
 *     rehearsalItems} say so
 */
public record CellSpec(
    String transport,
    Payload payload,
    ViewScope scope,
    long sizeBytes,
    int items,
    int warmUpItems,
    int rehearsalItems,
    int passes,
    int segments,
    int busyThreads,
    Measure measure,
    Fill fill,
    Codec codec,
    @Nullable PassLength length)
    implements Serializable {
  /** What a cell measures. */
  public enum Measure {
    /** Items in a time, and the processor time they take. */
    THROUGHPUT,
    /** The processor time of either side while it waits for the other. */
    WAIT,
    /** Round trips alone, many of them. */
    LATENCY
  }

  /** How long either side is left waiting in a wait cell, in milliseconds, when it is looked at. */
  static final long WAIT_MILLIS = 5_000;

  /** How long a waiting side is left alone before it is looked at. */
  static final long SETTLE_MILLIS = 1_000;

  static final int WARM_UP = 0;

  /**
   * The first pass that does just what the timed passes do, so that they run compiled code alone.
   */
  static final int REHEARSAL = 1;

  /** How many such passes there are. Each may be longer than the one before. */
  static final int REHEARSALS = 8;

  /**
   * Only in cells with busy threads: an untimed pass beside them. Either side then waits in another
   * way, and compiled code that did not expect it is thrown away.
   */
  static final int AMONG_BUSY_THREADS = REHEARSAL + REHEARSALS;

  /** Only in cells with busy threads, without them: has the code compiled once more. */
  static final int SECOND_REHEARSAL = AMONG_BUSY_THREADS + 1;

  /** Memory for one item, where an item of no bytes takes some too. */
  private static final long LEAST_ROOM_BYTES = 4096;

  /**
   * Returns how much memory holds an item.
   *
   * @return bytes, at least the item's
   */
  public long roomBytes() {
    return Math.max(sizeBytes, LEAST_ROOM_BYTES);
  }

  /** Returns this cell with passes of a length that is decided before each. */
  CellSpec withLength(PassLength decidedLater) {
    return new CellSpec(
        transport,
        payload,
        scope,
        sizeBytes,
        items,
        warmUpItems,
        rehearsalItems,
        passes,
        segments,
        busyThreads,
        measure,
        fill,
        codec,
        decidedLater);
  }

  /** Returns the number of the first pass that is timed, or in which somebody waits. */
  int firstTimed() {
    return busyThreads > 0 ? SECOND_REHEARSAL + 1 : REHEARSAL + REHEARSALS;
  }

  /**
   * Returns the number of the pass in which memory is looked at, behind the timed ones. All further
   * passes are round trips.
   */
  int memoryPass() {
    return firstTimed() + passes;
  }

  /**
   * Returns what happens in a pass. Producer and consumer ask alike, and so agree. Not to be asked
   * before the pass begins.
   *
   * @param number the pass's number, 0 for the warm-up
   * @return the plan
   */
  public PassPlan plan(int number) {
    Stamped stamped = fill.inPlace() ? Stamped.EDGES : Stamped.SAMPLES;
    if (number == WARM_UP && !fill.inPlace()) {
      stamped = Stamped.EVERY_WORD;
    }
    if (number < firstTimed()) {
      return new PassPlan(number, untimedItems(number), stamped, 0);
    }
    if (measure == Measure.WAIT) {
      // the consumer waits in the first one, the producer in the second
      long delay = number == firstTimed() ? WAIT_MILLIS + 2 * SETTLE_MILLIS : 0;
      return new PassPlan(number, 4 * segments + 4, stamped, delay);
    }
    if (measure == Measure.LATENCY || number > memoryPass()) {
      return new PassPlan(number, 1, stamped, 0);
    }
    return new PassPlan(number, decided(items), stamped, 0);
  }

  private int untimedItems(int number) {
    return switch (number) {
      case WARM_UP -> warmUpItems;
      case AMONG_BUSY_THREADS -> decided(items);
      default -> decided(rehearsalItems);
    };
  }

  private int decided(int otherwise) {
    return length == null ? otherwise : length.items();
  }
}
