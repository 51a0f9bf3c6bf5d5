package dev.holdfast.cli.bench;

import java.io.Serializable;

/**
 * What the timed passes of a cell took beside time, all passes together, and the memory. What could
 * not be read is NaN.
 *
 * @param consumerCpuSeconds processor time of the consumer's process without busy threads
 * @param producerCpuSeconds processor time of the producer's process; 0 when it is the consumer's
 * @param producerMicrosPerItem processor time per item of the producer's threads without those of
 *     the JVM itself; 0 when it is the consumer's process
 * @param gcMillis time that collections took in the consumer's process
 * @param gcRequests collections that the transport asked for in the consumer's process
 * @param peakPssBytes memory of both processes at its highest, in a pass of its own
 */
record CellCost(
    double consumerCpuSeconds,
    double producerCpuSeconds,
    double producerMicrosPerItem,
    double gcMillis,
    long gcRequests,
    double peakPssBytes)
    implements Serializable {
  static final CellCost NONE = new CellCost(0, 0, 0, 0, 0, 0);

  CellCost withPeakPss(double bytes) {
    return new CellCost(
        consumerCpuSeconds, producerCpuSeconds, producerMicrosPerItem, gcMillis, gcRequests, bytes);
  }
}
