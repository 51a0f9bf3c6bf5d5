package dev.holdfast.loader.pipeline;

/** What the death of a region's worker means. */
public enum OnWorkerDeath {
  /** The pipeline fails with it, after every result that was complete. */
  FAIL,
  /**
   * The worker is replaced and gets its unanswered inputs again, so the stages of the region must
   * give the same results for the same input.
   */
  RESTART
}
