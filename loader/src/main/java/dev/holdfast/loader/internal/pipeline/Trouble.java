package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.internal.failure.ThrowableText;
import dev.holdfast.loader.pipeline.StageFailure;

/**
 * An item that failed.
 *
 * @param stage the stage's name
 * @param index which item of the source, or of the region's inputs inside a worker
 * @param item the item as reports show it
 * @param thrown what was thrown
 * @param always whether the pass ends whatever the policy says
 */
public record Trouble(String stage, long index, String item, Throwable thrown, boolean always) {

  /** Returns what statistics keep. */
  StageFailure failure() {
    return new StageFailure(stage, index, item, ThrowableText.summary(thrown));
  }
}
