package dev.holdfast.loader.pipeline;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import org.jspecify.annotations.Nullable;

/**
 * An item failed in a stage, and the failure policy or the kind of failure ends the pass. The facts
 * name the stage, the item and what was thrown.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class StageFailedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what was thrown, or null
   */
  public StageFailedException(FailureDetail detail, @Nullable Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
