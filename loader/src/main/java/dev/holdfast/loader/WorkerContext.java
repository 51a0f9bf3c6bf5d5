package dev.holdfast.loader;

/**
 * What user code can learn about the worker it runs in. Valid as long as the worker lives; may be
 * used by any thread.
 */
public interface WorkerContext {

  /**
   * Returns which of the workers this is.
   *
   * @return from 0 to {@link #count} - 1; 0 when there is one worker
   */
  int index();

  /**
   * Returns how many workers share the work.
   *
   * @return at least 1
   */
  int count();

  /**
   * Returns this worker's own seed for random numbers, derived from the seed in the options and the
   * index.
   *
   * @return the same number in each run with the same options
   */
  long seed();

  /**
   * Returns whether the consumer has left this iteration or closes the worker. Code that works long
   * on one item can look here and give up.
   *
   * @return true when what comes next will be thrown away
   */
  boolean stopRequested();
}
