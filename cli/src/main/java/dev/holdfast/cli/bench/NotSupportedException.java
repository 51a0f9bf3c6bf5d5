package dev.holdfast.cli.bench;

/** A transport cannot carry the items of a cell. The run goes on, and its report says why. */
public final class NotSupportedException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param reason one sentence without a full stop, with the limit that is exceeded
   */
  public NotSupportedException(String reason) {
    super(reason);
  }
}
