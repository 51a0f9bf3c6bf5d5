package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.pipeline.StageStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts what a stage does. Thread-safe. */
public final class StageFigures {
  private final String name;
  private final int concurrency;
  private final int queueCapacity;
  private final LongAdder items = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder busyNanos = new LongAdder();
  private final LongAdder samples = new LongAdder();
  private final LongAdder sampledCells = new LongAdder();
  private final ConcurrentHistogram times = StageTimes.ofThreads();

  /** Makes figures that are all zero. */
  public StageFigures(String name, int concurrency, int queueCapacity) {
    this.name = name;
    this.concurrency = concurrency;
    this.queueCapacity = queueCapacity;
  }

  /** Counts an item that took so long. */
  public void worked(long nanos) {
    items.increment();
    busyNanos.add(nanos);
    times.recordValue(Math.clamp(nanos, 1, StageTimes.LONGEST_NANOS));
  }

  /** Counts an item that failed. */
  public void failed() {
    failures.increment();
  }

  void sampled(int cells, int capacity) {
    samples.increment();
    sampledCells.add(Math.min(cells, capacity));
  }

  /** Returns what crosses from a worker. */
  public Snapshot snapshot() {
    byte[] encoded = StageTimes.encode(times.copy());
    return new Snapshot(
        name,
        concurrency,
        queueCapacity,
        items.sum(),
        failures.sum(),
        busyNanos.sum(),
        samples.sum(),
        sampledCells.sum(),
        encoded);
  }

  /**
   * Figures at one moment.
   *
   * @param name the stage's name
   * @param concurrency its threads
   * @param queueCapacity what the queue before it holds
   * @param items items worked on
   * @param failures of them, those that failed
   * @param busyNanos time worked
   * @param samples how often the queue was looked at
   * @param sampledCells what was in it, summed up
   * @param times the encoded histogram
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Snapshot(
      String name,
      int concurrency,
      int queueCapacity,
      long items,
      long failures,
      long busyNanos,
      long samples,
      long sampledCells,
      byte[] times) {

    /** Returns whether these figures, which have crossed, can be those of a stage. */
    public boolean canBeTrue() {
      return concurrency >= 1
          && queueCapacity >= 0
          && items >= 0
          && failures >= 0
          && busyNanos >= 0
          && samples >= 0
          && sampledCells >= 0
          && StageTimes.canBeRead(times);
    }

    /** Returns the sum of both, of one stage in two workers. */
    public Snapshot plus(Snapshot other) {
      return sum(other, concurrency + other.concurrency);
    }

    /** Returns the sum of both, of one stage in a worker and in the one that replaced it. */
    public Snapshot continuedBy(Snapshot later) {
      return sum(later, later.concurrency);
    }

    /**
     * Returns the figures of a region, whose workers are as busy as the busiest stage inside. Its
     * own times are those of inputs on their way, which overlap.
     */
    public Snapshot busyAs(List<Snapshot> inside) {
      long nanos =
          inside.stream().mapToLong(it -> it.busyNanos / it.concurrency).max().orElse(0)
              * concurrency;
      return new Snapshot(
          name, concurrency, queueCapacity, items, failures, nanos, samples, sampledCells, times);
    }

    private Snapshot sum(Snapshot other, int threads) {
      Histogram both = StageTimes.decode(times);
      both.add(StageTimes.decode(other.times));
      return new Snapshot(
          name,
          threads,
          queueCapacity,
          items + other.items,
          failures + other.failures,
          busyNanos + other.busyNanos,
          samples + other.samples,
          sampledCells + other.sampledCells,
          StageTimes.encode(both));
    }

    /** Returns the figures as users see them. */
    public StageStats stats() {
      Histogram histogram = StageTimes.decode(times);
      double occupancy =
          samples == 0 ? 0 : (double) sampledCells / samples / Math.max(1, queueCapacity);
      return new StageStats(
          name,
          concurrency,
          items,
          failures,
          Duration.ofNanos(busyNanos),
          Duration.ofNanos(histogram.getValueAtPercentile(50)),
          Duration.ofNanos(histogram.getValueAtPercentile(99)),
          occupancy,
          queueCapacity);
    }
  }
}
