package dev.holdfast.loader.internal.pipeline;

/** Where a stage takes its cells from. */
public interface Inlet {

  /**
   * Waits for the next cell and takes it.
   *
   * @throws Stopped when the pipeline was closed
   */
  Cell take();

  /** Adds how full the queue was to a stage's figures. */
  default void sample(StageFigures figures) {}

  /** Returns how many cells it holds. */
  default int capacity() {
    return 1;
  }
}
