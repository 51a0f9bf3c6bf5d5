package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import dev.holdfast.loader.internal.pipeline.Trouble;

/** What came of an input and goes on in its place. */
sealed interface Delivery {

  /** Returns the input that it is delivered for. */
  Input input();

  /** Gives back what was not delivered. */
  void drop();

  /**
   * A result.
   *
   * @param input the first input that it stems from
   * @param cell the result
   */
  record Result(Input input, Cell.Item cell) implements Delivery {
    @Override
    public void drop() {
      CellQueue.drop(cell);
    }
  }

  /**
   * A failure, which the pipeline's policy decides about.
   *
   * @param input the input that failed
   * @param trouble what happened
   */
  record Failure(Input input, Trouble trouble) implements Delivery {
    @Override
    public void drop() {}
  }
}
