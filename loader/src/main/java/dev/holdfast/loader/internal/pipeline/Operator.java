package dev.holdfast.loader.internal.pipeline;

import java.util.Iterator;
import java.util.List;

/** What a stage makes of a cell. One that keeps something between cells belongs to one thread. */
interface Operator {

  /**
   * Works on an item.
   *
   * @return what it makes, asked for one by one
   */
  Iterator<? extends Cell> apply(Cell.Item item);

  /** Returns what is left at the end of a pass. */
  default List<Cell> end(long epoch) {
    return List.of();
  }

  /** Gives back what it keeps between cells: nobody asks for it any more. */
  default void discard() {}
}
