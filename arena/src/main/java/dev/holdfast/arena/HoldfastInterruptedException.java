package dev.holdfast.arena;

/**
 * The calling thread was interrupted while it waited. Its interrupt flag stays set and no unit was
 * lost or doubled.
 */
public final class HoldfastInterruptedException extends RuntimeException
    implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public HoldfastInterruptedException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public HoldfastInterruptedException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
