package dev.holdfast.loader.pipeline;

import java.util.List;

/**
 * Figures of a pipeline since it was built.
 *
 * @param stages each stage in its order; the stages of a region follow the region
 * @param delivered items that consumers took
 * @param failed items that were dropped because they had failed
 * @param failures the latest of them, at most 1000
 * @param restarts workers that were replaced
 */
public record PipelineStats(
    List<StageStats> stages,
    long delivered,
    long failed,
    List<StageFailure> failures,
    long restarts) {

  /**
   * Copies the lists.
   *
   * @param stages each stage in its order
   * @param delivered items that consumers took
   * @param failed items that were dropped because they had failed
   * @param failures the latest of them
   * @param restarts workers that were replaced
   */
  public PipelineStats {
    stages = List.copyOf(stages);
    failures = List.copyOf(failures);
  }

  /**
   * Returns the name of the stage that holds the others up: the one with the most busy time per
   * thread.
   *
   * @return its name, or an empty text when there is no stage
   */
  public String bottleneck() {
    String busiest = "";
    long most = 0;
    for (StageStats stage : stages) {
      long nanos = stage.busy().toNanos() / stage.concurrency();
      if (nanos >= most) { // a region is as busy as its busiest stage, which comes behind it
        most = nanos;
        busiest = stage.name();
      }
    }
    return busiest;
  }
}
