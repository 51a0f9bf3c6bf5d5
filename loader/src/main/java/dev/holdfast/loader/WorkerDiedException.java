package dev.holdfast.loader;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import org.jspecify.annotations.Nullable;

/**
 * The worker process ended although nobody had asked it to. The facts name its pid, the exit code
 * or signal, the last lines it wrote to standard error, and the JVM's crash report if there is one.
 *
 * <p>Thrown after every item that the worker had completed was delivered, and again on every later
 * call.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class WorkerDiedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;

  /**
   * Makes the exception.
   *
   * @param detail what the message says
   * @param cause what led to it, or null
   */
  public WorkerDiedException(FailureDetail detail, @Nullable Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
  }

  /**
   * Makes the exception without a cause.
   *
   * @param detail what the message says
   */
  public WorkerDiedException(FailureDetail detail) {
    this(detail, null);
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
