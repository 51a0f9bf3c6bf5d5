package dev.holdfast.loader.internal.failure;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.loader.RemoteError;
import dev.holdfast.loader.WorkerFailedException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What was thrown in a worker.
 *
 * @param error as text
 * @param detail the facts, when it was one of ours
 */
public record RemoteFailure(RemoteError error, @Nullable FailureDetail detail) {

  /**
   * Makes the exception that the consumer gets: one of ours as the same type with the same facts,
   * anything else as a {@link WorkerFailedException}.
   *
   * @param what what happened, as the message begins when it was none of ours
   * @param more adds facts that only the parent knows
   */
  public RuntimeException toException(String what, UnaryOperator<FailureDetail> more) {
    WorkerFailedException failed =
        new WorkerFailedException(
            more.apply(
                FailureDetail.of(what)
                    .with("remoteClass", error.className())
                    .with("remoteMessage", error.message())),
            error);
    if (detail == null) {
      return failed;
    }
    RuntimeException same = KnownFailures.make(error.className(), more.apply(detail), failed);
    return same == null ? failed : same;
  }
}
