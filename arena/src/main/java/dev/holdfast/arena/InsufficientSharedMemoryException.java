package dev.holdfast.arena;

/**
 * An arena was asked for that the machine has no room for. Thrown by the constructor, before
 * anything is left behind; the facts name the tightest limit.
 */
public final class InsufficientSharedMemoryException extends RuntimeException
    implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public InsufficientSharedMemoryException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public InsufficientSharedMemoryException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
