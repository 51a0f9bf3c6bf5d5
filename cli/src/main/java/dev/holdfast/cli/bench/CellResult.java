package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Json;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a cell's process found.
 *
 * @param cell what was measured
 * @param items items in each timed pass
 * @param itemsPerSecond of each timed pass, in their order
 * @param consumerMicrosPerItem processor time per item of the consumer thread and the transport's
 *     own threads beside it, of each timed pass; NaN when it could not be read
 * @param verified whether every item came whole and in its turn
 * @param runs how often the cell was measured; this is the last time
 * @param cost what the timed passes took
 * @param latency round trips
 * @param waiting what waiting takes, in a wait cell
 */
record CellResult(
    CellSpec cell,
    int items,
    List<Double> itemsPerSecond,
    List<Double> consumerMicrosPerItem,
    boolean verified,
    int runs,
    CellCost cost,
    Latency latency,
    WaitCost waiting)
    implements CellOutcome {

  /** A cell whose passes lie further apart is measured once more. */
  private static final double LARGEST_SPREAD = 0.3;

  private static final double SHORTEST_SECONDS = 0.01;

  double medianItemsPerSecond() {
    return median(itemsPerSecond);
  }

  double medianMicrosPerItem() {
    return median(consumerMicrosPerItem);
  }

  double bytesPerSecond() {
    return medianItemsPerSecond() * cell.sizeBytes();
  }

  double smallest() {
    return itemsPerSecond.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  double largest() {
    return itemsPerSecond.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /**
   * Returns how far the slowest and the fastest pass lie apart, as a part of the median; NaN where
   * there are not two of them to compare.
   */
  double spread() {
    return itemsPerSecond.size() < 2
        ? Double.NaN
        : (largest() - smallest()) / medianItemsPerSecond();
  }

  /** Returns whether a pass is long enough for its rate to say something of the next one. */
  boolean judged() {
    return items >= SHORTEST_SECONDS * medianItemsPerSecond();
  }

  /** Returns whether passes lie close together, null where there are not two to compare. */
  @Nullable Boolean stable() {
    return Double.isNaN(spread()) ? null : spread() <= LARGEST_SPREAD;
  }

  /** Returns whether passes are known to lie far apart. */
  boolean unstable() {
    return Boolean.FALSE.equals(stable());
  }

  /** Returns whether bytes were moved, so that rates and costs by bytes mean something. */
  boolean movesBytes() {
    return !cell.fill().inPlace() && cell.sizeBytes() > 0;
  }

  double consumerCpuSecondsPerGib() {
    return cost.consumerCpuSeconds() / timedGib();
  }

  double producerCpuSecondsPerGib() {
    return cost.producerCpuSeconds() / timedGib();
  }

  private double timedGib() {
    return (double) items * itemsPerSecond.size() * cell.sizeBytes() / Sizes.GIB;
  }

  CellResult withRuns(int count) {
    return new CellResult(
        cell,
        items,
        itemsPerSecond,
        consumerMicrosPerItem,
        verified,
        count,
        cost,
        latency,
        waiting);
  }

  @Override
  public Map<String, Object> toJson() {
    Map<String, Object> fields = identity(cell);
    switch (cell.measure()) {
      case THROUGHPUT -> addThroughput(fields);
      case LATENCY -> fields.put("latencyMicros", latency.toJson());
      case WAIT -> {
        fields.put("waitSeconds", CellSpec.WAIT_MILLIS / 1e3);
        fields.put("consumerCorePercent", waiting.consumerPercent());
        fields.put("producerCorePercent", waiting.producerPercent());
      }
    }
    fields.put("verified", verified);
    return fields;
  }

  private void addThroughput(Map<String, Object> fields) {
    fields.put("items", items);
    fields.put("passes", toArray(itemsPerSecond));
    fields.put("itemsPerSecond", medianItemsPerSecond());
    fields.put("smallest", smallest());
    fields.put("largest", largest());
    fields.put("spread", spread());
    fields.put("stable", stable());
    fields.put("runs", runs);
    fields.put("payloadFilled", !cell.fill().inPlace());
    if (cell.fill().inPlace()) {
      fields.put("sharedFill", cell.fill() == Fill.IN_PLACE_SHARED);
    }
    if (movesBytes()) {
      fields.put("bytesPerSecond", bytesPerSecond());
      fields.put("producerCpuSecondsPerGiB", producerCpuSecondsPerGib());
      fields.put("consumerCpuSecondsPerGiB", consumerCpuSecondsPerGib());
    }
    fields.put("producerCpuMicrosPerUnit", cost.producerMicrosPerItem());
    fields.put("consumerCpuMicrosPerUnit", medianMicrosPerItem());
    fields.put("peakPssBytes", Json.whole(cost.peakPssBytes()));
    fields.put("latencyMicros", latency.toJson());
    fields.put("gcMillis", cost.gcMillis());
    fields.put("gcRequests", cost.gcRequests());
  }

  static Map<String, Object> identity(CellSpec cell) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("transport", cell.transport());
    fields.put("payload", cell.payload().label());
    fields.put("scope", Words.lower(cell.scope()));
    fields.put("codec", Words.lower(cell.codec()));
    fields.put("sizeBytes", cell.sizeBytes());
    fields.put("segments", cell.segments());
    fields.put("busyThreads", cell.busyThreads());
    return fields;
  }

  private static double[] toArray(List<Double> numbers) {
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  static double median(List<Double> numbers) {
    double[] sorted = toArray(numbers);
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return 0;
    }
    if (Double.isNaN(sorted[sorted.length - 1])) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
