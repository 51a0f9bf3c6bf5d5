package dev.holdfast.loader.internal.region;

import java.util.ArrayList;
import java.util.List;

/**
 * Inputs that share results, and what came of them. Where a dead worker's inputs are done again,
 * nothing of a group is delivered before all of its inputs are done: else a result or a failure
 * could come twice, or a result that stems from an input that is done be lost with one that is not.
 * Guarded by the lock of the lane's book.
 */
final class Group {
  private final List<Input> inputs = new ArrayList<>(1);
  private final List<Delivery> deliveries = new ArrayList<>(1);

  Group(Input input) {
    inputs.add(input);
  }

  List<Input> inputs() {
    return inputs;
  }

  boolean isDone() {
    return inputs.stream().allMatch(input -> input.done);
  }

  void add(Delivery delivery) {
    deliveries.add(delivery);
  }

  /** Takes another group in. */
  void join(Group other) {
    if (!other.inputs.contains(inputs.getFirst())) {
      for (Input input : other.inputs) {
        input.group = this;
        inputs.add(input);
      }
      deliveries.addAll(other.deliveries);
    }
  }

  /** Hands over what is to be delivered, or given back. */
  List<Delivery> take() {
    List<Delivery> taken = List.copyOf(deliveries);
    deliveries.clear();
    return taken;
  }
}
