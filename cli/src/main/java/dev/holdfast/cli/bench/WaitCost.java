package dev.holdfast.cli.bench;

import java.io.Serializable;

/**
 * Processor time of either side while it waits for the other. What could not be read is NaN.
 *
 * @param consumerPercent of a core
 * @param producerPercent of a core
 */
record WaitCost(double consumerPercent, double producerPercent) implements Serializable {
  static final WaitCost NONE = new WaitCost(0, 0);
}
