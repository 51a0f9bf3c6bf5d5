package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * Inputs that share results, and the results. Where a dead worker's inputs are done again, nothing
 * of a group is delivered before all of its inputs are done: else a result could come twice, or one
 * that stems from an input that is done be lost with one that is not. Guarded by the lane's lock.
 */
final class Group {

  /**
   * A result.
   *
   * @param first the first input that it stems from
   * @param cells what is delivered
   */
  record Result(long first, List<Cell> cells) {}

  private final List<Input> inputs = new ArrayList<>(1);
  private final List<Result> results = new ArrayList<>(1);

  Group(Input input) {
    inputs.add(input);
  }

  List<Input> inputs() {
    return inputs;
  }

  List<Result> results() {
    return results;
  }

  boolean isDone() {
    return inputs.stream().allMatch(input -> input.done);
  }

  /** Takes another group in. */
  void join(Group other) {
    if (!other.inputs.contains(inputs.getFirst())) {
      for (Input input : other.inputs) {
        input.group = this;
        inputs.add(input);
      }
      results.addAll(other.results);
    }
  }

  /** Gives back what was not delivered. */
  void dropResults() {
    results.forEach(result -> result.cells().forEach(Group::drop));
    results.clear();
  }

  static void drop(Cell cell) {
    CellQueue.drop(cell);
  }
}
