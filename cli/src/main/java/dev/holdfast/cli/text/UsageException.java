package dev.holdfast.cli.text;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;

/**
 * The command was asked for something that makes no sense. It ends with exit code 2 and nothing was
 * done.
 */
public final class UsageException extends IllegalArgumentException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   */
  public UsageException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  /**
   * Checks a count that was given on the command line.
   *
   * @param option the option's name
   * @param value what was given
   * @param smallest the smallest legal value
   * @throws UsageException when the value is smaller
   */
  public static void requireAtLeast(String option, long value, long smallest) {
    if (value < smallest) {
      throw new UsageException(
          FailureDetail.of("the value is too small")
              .with("option", option)
              .with("value", value)
              .with("smallest", smallest));
    }
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
