package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.pipeline.StageStats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.DataFormatException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts what a stage does. Thread-safe. */
public final class StageFigures {
  private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 2;

  private final String name;
  private final int concurrency;
  private final int queueCapacity;
  private final LongAdder items = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder busyNanos = new LongAdder();
  private final LongAdder samples = new LongAdder();
  private final LongAdder sampledCells = new LongAdder();
  private final ConcurrentHistogram times = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

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
    times.recordValue(Math.clamp(nanos, 1, LONGEST_NANOS));
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
    Histogram copy = times.copy();
    ByteBuffer bytes = ByteBuffer.allocate(copy.getNeededByteBufferCapacity());
    int length = copy.encodeIntoCompressedByteBuffer(bytes);
    return new Snapshot(
        name,
        concurrency,
        queueCapacity,
        items.sum(),
        failures.sum(),
        busyNanos.sum(),
        samples.sum(),
        sampledCells.sum(),
        Arrays.copyOf(bytes.array(), length));
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
      Histogram both = histogram();
      both.add(other.histogram());
      ByteBuffer bytes = ByteBuffer.allocate(both.getNeededByteBufferCapacity());
      int length = both.encodeIntoCompressedByteBuffer(bytes);
      return new Snapshot(
          name,
          threads,
          queueCapacity,
          items + other.items,
          failures + other.failures,
          busyNanos + other.busyNanos,
          samples + other.samples,
          sampledCells + other.sampledCells,
          Arrays.copyOf(bytes.array(), length));
    }

    /** Returns the figures as users see them. */
    public StageStats stats() {
      Histogram histogram = histogram();
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

    private Histogram histogram() {
      try {
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(times), 1);
      } catch (DataFormatException | RuntimeException e) {
        return new Histogram(LONGEST_NANOS, DIGITS); // damaged on its way: only the times are lost
      }
    }
  }
}
