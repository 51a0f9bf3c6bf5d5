package dev.holdfast.loader;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import org.jspecify.annotations.Nullable;

/** An iteration was stopped on request before its source had ended. */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class IterationStoppedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it, or null
   */
  public IterationStoppedException(FailureDetail detail, @Nullable Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public IterationStoppedException(FailureDetail detail) {
    this(detail, null);
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
