package dev.holdfast.arena;

/**
 * No space became free within the wait limit. The facts say what was waited for, how long, and who
 * holds what since when; the call may be repeated.
 */
public final class AcquireTimeoutException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public AcquireTimeoutException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public AcquireTimeoutException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
