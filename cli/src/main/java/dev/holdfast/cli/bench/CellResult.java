package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Words;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a cell's process found.
 *
 * @param cell what was measured
 * @param itemsPerSecond of each timed pass, in their order
 * @param consumerMicrosPerItem processor time of the consumer per item, of each timed pass
 * @param verified whether every item came whole and in its turn
 * @param consumerWaitPercent of a core, in a wait cell
 * @param producerWaitPercent of a core, in a wait cell
 */
record CellResult(
    CellSpec cell,
    List<Double> itemsPerSecond,
    List<Double> consumerMicrosPerItem,
    boolean verified,
    double consumerWaitPercent,
    double producerWaitPercent)
    implements Serializable {

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

  Map<String, Object> toJson() {
    Map<String, Object> fields = identity();
    if (cell.measure() == CellSpec.Measure.WAIT) {
      fields.put("waitSeconds", CellSpec.WAIT_MILLIS / 1e3);
      fields.put("consumerCorePercent", consumerWaitPercent);
      fields.put("producerCorePercent", producerWaitPercent);
      fields.put("verified", verified);
      return fields;
    }
    fields.put("items", cell.items());
    fields.put("busyThreads", cell.busyThreads());
    fields.put("passes", toArray(itemsPerSecond));
    fields.put("itemsPerSecond", medianItemsPerSecond());
    fields.put("payloadFilled", !cell.fill().inPlace());
    if (cell.fill().inPlace()) {
      fields.put("sharedFill", cell.fill() == Fill.IN_PLACE_SHARED);
    } else {
      fields.put("bytesPerSecond", bytesPerSecond());
    }
    fields.put("consumerCpuMicrosPerUnit", medianMicrosPerItem());
    fields.put("verified", verified);
    return fields;
  }

  private Map<String, Object> identity() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("transport", cell.transport());
    fields.put("payload", cell.payload().label());
    fields.put("scope", Words.lower(cell.scope()));
    fields.put("sizeBytes", cell.sizeBytes());
    return fields;
  }

  private static double[] toArray(List<Double> numbers) {
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static double median(List<Double> numbers) {
    double[] sorted = toArray(numbers);
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return 0;
    }
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
