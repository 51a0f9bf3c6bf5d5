package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import java.util.function.LongPredicate;

/** Where the results of a region's workers go on. Thread-safe. */
interface Outcomes {

  /** Takes note of an input; called in the order of their numbers. */
  void opened(long number);

  /** Sends a result that stems from an input on. May wait. */
  void deliver(long number, Cell cell);

  /** Takes note that nothing more stems from an input. May wait. */
  void done(long number);

  /** Waits until everything has gone on. */
  void awaitAll();

  /**
   * Returns whether a lane may take one more input: so many are not beyond the lowest one that is
   * not done, or this one is the lane's own, whose worker may be collecting and need more to answer
   * it. True also when nothing is waited for any more.
   *
   * @param window how many inputs may wait for the lowest one
   * @param own tells the lane's inputs
   */
  boolean within(long window, LongPredicate own);

  /** Waits until {@link #within} is true. */
  void awaitWithin(long window, LongPredicate own);

  /** Sends on all that is there and then an error, which is the last. */
  void fail(Cell failure);

  /** Ends all waits. */
  void close();
}
