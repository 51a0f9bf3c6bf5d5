package dev.holdfast.arena;

/** The arena, the endpoint or what runs over it was closed or shut down. */
public final class ArenaClosedException extends IllegalStateException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public ArenaClosedException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public ArenaClosedException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
