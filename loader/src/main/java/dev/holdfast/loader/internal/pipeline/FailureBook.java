package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.StageFailedException;
import dev.holdfast.loader.pipeline.StageFailure;
import java.lang.System.Logger;
import java.util.ArrayDeque;
import java.util.List;

/** Counts failed items of the whole pipeline and applies the policy. Thread-safe. */
final class FailureBook implements Troubles {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final int MOST_KEPT = 1000;

  private final FailurePolicy policy;
  private final Epochs epochs;

  // guarded by this
  private final ArrayDeque<StageFailure> kept = new ArrayDeque<>();
  private long total;
  private long epoch;
  private long inEpoch;

  FailureBook(FailurePolicy policy, Epochs epochs) {
    this.policy = policy;
    this.epochs = epochs;
  }

  @Override
  public List<Cell> settle(Cell.Item item, Trouble trouble) {
    if (epochs.isCancelled(item.epoch())) {
      return List.of(); // perhaps it failed because of that
    }
    StageFailure failure = trouble.failure();
    long number = count(item.epoch(), failure);
    if (!trouble.always() && number <= policy.limit()) {
      Logger.Level level =
          number == 1 && item.epoch() == 1 ? Logger.Level.WARNING : Logger.Level.DEBUG;
      LOG.log(level, () -> "an item failed and is dropped: " + failure);
      return List.of();
    }
    return List.of(new Cell.Failed(item.epoch(), exception(trouble, failure, number)));
  }

  private synchronized long count(long itemEpoch, StageFailure failure) {
    if (itemEpoch > epoch) {
      epoch = itemEpoch;
      inEpoch = 0;
    }
    total++;
    if (kept.size() == MOST_KEPT) {
      kept.removeFirst();
    }
    kept.add(failure);
    return ++inEpoch;
  }

  private RuntimeException exception(Trouble trouble, StageFailure failure, long number) {
    if (trouble.always()
        && trouble.thrown() instanceof RuntimeException itself
        && (itself instanceof StageFailedException || itself instanceof ArenaClosedException)) {
      return itself;
    }
    FailureDetail detail =
        FailureDetail.of("an item failed in a stage")
            .with("stage", failure.stage())
            .with("index", failure.index())
            .with("item", failure.item())
            .with("reason", failure.reason());
    if (policy.limit() > 0) {
      detail = detail.with("failedInPass", number).with("limit", policy.limit());
    }
    return new StageFailedException(
        detail.advise("mend the stage or the item, or drop failed items with onFailure"),
        trouble.thrown());
  }

  synchronized long total() {
    return total;
  }

  synchronized List<StageFailure> kept() {
    return List.copyOf(kept);
  }
}
