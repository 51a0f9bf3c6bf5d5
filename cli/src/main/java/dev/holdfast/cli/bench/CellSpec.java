package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;
import java.io.Serializable;

/**
 * One cell of a benchmark: what is measured, in a process of its own.
 *
 * @param transport the transport's name
 * @param payload what an item is
 * @param scope the lifetime of views
 * @param sizeBytes the size of an item's bytes
 * @param items items in each timed pass
 * @param warmUpItems items in each of the two passes before, which are not timed
 * @param passes timed passes
 * @param segments segments of a pool, items that a ring holds, and of the memory that the baseline
 *     copies into
 * @param busyThreads threads that spin in the consumer's process while it is timed
 * @param measure what is measured
 * @param fill how the producer makes an item's bytes
 */
public record CellSpec(
    String transport,
    Payload payload,
    ViewScope scope,
    long sizeBytes,
    int items,
    int warmUpItems,
    int passes,
    int segments,
    int busyThreads,
    Measure measure,
    Fill fill)
    implements Serializable {
  /** What a cell measures. */
  public enum Measure {
    /** Items in a time, and the processor time they take. */
    THROUGHPUT,
    /** The processor time of either side while it waits for the other. */
    WAIT
  }

  /** How long either side is left waiting in a wait cell, in milliseconds, when it is looked at. */
  static final long WAIT_MILLIS = 5_000;

  /** How long a waiting side is left alone before it is looked at. */
  static final long SETTLE_MILLIS = 1_000;

  static final int WARM_UP = 0;

  /**
   * A second warm-up that does just what the timed passes do, so that they run compiled code alone.
   */
  static final int REHEARSAL = 1;

  static final int FIRST_TIMED = 2;
  static final int CONSUMER_WAITS = 2;
  static final int PRODUCER_WAITS = 3;

  /**
   * Returns what happens in a pass. Producer and consumer ask alike, and so agree.
   *
   * @param number the pass's number, 0 for the warm-up
   * @return the plan
   */
  public PassPlan plan(int number) {
    Stamped stamped = fill.inPlace() ? Stamped.EDGES : Stamped.SAMPLES;
    if (number == WARM_UP && !fill.inPlace()) {
      stamped = Stamped.EVERY_WORD;
    }
    if (number < FIRST_TIMED) {
      return new PassPlan(number, warmUpItems, stamped, 0);
    }
    if (measure == Measure.WAIT) {
      long delay = number == CONSUMER_WAITS ? WAIT_MILLIS + 2 * SETTLE_MILLIS : 0;
      return new PassPlan(number, 4 * segments + 4, stamped, delay);
    }
    return new PassPlan(number, items, stamped, 0);
  }
}
