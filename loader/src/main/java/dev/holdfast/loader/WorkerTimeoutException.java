package dev.holdfast.loader;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import org.jspecify.annotations.Nullable;

/**
 * No message came from the worker for longer than the limit of inactivity. The facts name its pid
 * and what the process was doing. The worker goes on, and the next call waits again.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class WorkerTimeoutException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it, or null
   */
  public WorkerTimeoutException(FailureDetail detail, @Nullable Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public WorkerTimeoutException(FailureDetail detail) {
    this(detail, null);
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
