package dev.holdfast.arena;

/**
 * A close could not finish with certainty. What it left is kept mapped, registered and named, and
 * is tried again at each close, by a background thread and at exit.
 */
public final class StorageRetainedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public StorageRetainedException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public StorageRetainedException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
