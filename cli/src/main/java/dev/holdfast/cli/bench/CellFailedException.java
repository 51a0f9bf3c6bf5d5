package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;

/** A cell could not be measured, or its answer is wrong. The facts name the cell. */
public final class CellFailedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   */
  public CellFailedException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
