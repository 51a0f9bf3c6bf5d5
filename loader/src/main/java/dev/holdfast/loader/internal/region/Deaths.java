package dev.holdfast.loader.internal.region;

import java.util.List;

/**
 * Counts the deaths of a lane's workers and finds the inputs that are to blame. Guarded by the lock
 * of the lane's book.
 */
final class Deaths {
  private static final int OF_POISON = 2;

  private int inRow;

  /** Takes note that a worker has given an answer. */
  void answered() {
    inRow = 0;
  }

  /**
   * Takes note of a death.
   *
   * @param inside the inputs that were in the worker
   * @return those to blame: one that was alone in the worker at its second death
   */
  List<Input> died(List<Input> inside) {
    inRow++;
    inside.forEach(input -> input.deaths++);
    return inside.size() == 1 && inside.getFirst().deaths >= OF_POISON ? inside : List.of();
  }

  /** Returns how many there were since the last answer. */
  int inRow() {
    return inRow;
  }
}
