package dev.holdfast.cuda;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;

/**
 * The CUDA driver is missing or refused a call. The facts have the call, the driver's error code
 * and its name, where there was a call.
 */
public final class DeviceException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it
   */
  public DeviceException(FailureDetail detail, Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public DeviceException(FailureDetail detail) {
    super(detail.message());
    this.detail = detail;
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }

  /**
   * Returns what the driver's call returned.
   *
   * @return a CUresult, or 0 when no call was refused
   */
  public int code() {
    return detail.facts().get("code") instanceof Integer code ? code : 0;
  }
}
