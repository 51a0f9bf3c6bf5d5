package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;

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

  /** Returns the lowest input that is not done, which the others wait for. */
  long head();

  /** Sends on all that is there and then an error, which is the last. */
  void fail(Cell failure);

  /** Ends all waits. */
  void close();
}
