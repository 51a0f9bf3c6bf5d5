package dev.holdfast.loader;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Code in the worker threw, or an item could not cross. The facts name the remote class and
 * message, and the index of the item when there is one; the remote stack is the cause's text.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class WorkerFailedException extends RuntimeException implements HoldfastFailure {
  private static final long serialVersionUID = 1L;

  private final FailureDetail detail;
  private final @Nullable RemoteError remote;

  /**
   * Makes the exception for something that was thrown in this process.
   *
   * @param detail what the message says
   * @param cause what led to it, or null
   */
  public WorkerFailedException(FailureDetail detail, @Nullable Throwable cause) {
    super(detail.message(), cause);
    this.detail = detail;
    this.remote = null;
  }

  /**
   * Makes the exception for something that was thrown in the worker.
   *
   * @param detail what the message says
   * @param remote what was thrown there
   */
  public WorkerFailedException(FailureDetail detail, RemoteError remote) {
    super(detail.message(), new RemoteTrace(remote.stackTrace()));
    this.detail = detail;
    this.remote = remote;
  }

  /**
   * Returns what was thrown in the worker.
   *
   * @return its description, or nothing when the failure happened in this process
   */
  public Optional<RemoteError> remote() {
    return Optional.ofNullable(remote);
  }

  @Override
  public FailureDetail detail() {
    return detail;
  }
}
