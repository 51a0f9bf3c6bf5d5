package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.internal.events.WorkerDiedEvent;
import dev.holdfast.loader.internal.failure.RemoteFailure;
import dev.holdfast.loader.internal.failure.ThrowableText;
import dev.holdfast.loader.internal.launch.WorkerProcess;
import dev.holdfast.loader.internal.worker.WorkerStage;
import dev.holdfast.loader.pipeline.StageFailedException;
import org.jspecify.annotations.Nullable;

/** Words for what can go wrong with a worker. */
public final class Failures {
  private Failures() {}

  static ArenaClosedException closed() {
    return new ArenaClosedException(
        FailureDetail.of("the iterable was closed").advise("call Subprocess.iterate again"));
  }

  static IllegalStateException superseded() {
    return new IllegalStateException(
        "a newer iterator has superseded this one; take one pass at a time from an iterable");
  }

  static HoldfastInterruptedException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new HoldfastInterruptedException(
        FailureDetail.of("interrupted while waiting for another thread that takes the next item"),
        cause);
  }

  static WorkerDiedException died(WorkerProcess process) {
    return died(process, process.death("the worker ended without an end-of-data mark"));
  }

  static WorkerDiedException diedEarly(WorkerProcess process) {
    return died(process, process.deathAtStart("the worker ended before it was ready"));
  }

  private static WorkerDiedException died(WorkerProcess process, FailureDetail detail) {
    if (Recorder.isThere()) {
      WorkerDiedEvent event = new WorkerDiedEvent();
      event.pid = process.pid();
      event.how = detail.message();
      event.commit();
    }
    return new WorkerDiedException(detail);
  }

  static WorkerTimeoutException silent(WorkerProcess process, String what, long nanos) {
    FailureDetail detail = FailureDetail.of(what).with("waitedMillis", nanos / 1_000_000);
    return new WorkerTimeoutException(
        process.withState(detail).advise("raise the limit, or look at what the source does"));
  }

  static RuntimeException itemFailed(RemoteFailure remote, long index) {
    return remote.toException(
        "an item could not be sent by the worker", detail -> detail.with("index", index));
  }

  /**
   * Of our own exceptions only lack of room keeps its type, which allocating for an item throws,
   * and the failure of a stage of a pipeline: the others would say something of this process that
   * is not so.
   */
  static RuntimeException sourceFailed(RemoteFailure remote, long index) {
    if (remote.error().className().equals(UnitTooLargeException.class.getName())) {
      return remote.toException(
          "the source failed in the worker", detail -> detail.with("index", index));
    }
    if (remote.error().className().equals(StageFailedException.class.getName())) {
      return remote.toException("the source failed in the worker", detail -> detail);
    }
    return new WorkerFailedException(
        FailureDetail.of("the source failed in the worker")
            .with("remoteClass", remote.error().className())
            .with("remoteMessage", remote.error().message())
            .with("index", index)
            .advise("the stack in the worker is the cause's text"),
        remote.error());
  }

  static RuntimeException unusable(RemoteFailure remote, long stage) {
    return remote.toException(WorkerStage.failure(stage), detail -> detail);
  }

  /** Adds what only this process knows of who keeps the space. */
  static RuntimeException noSpace(
      RemoteFailure remote, long index, @Nullable SharedMemoryArena arena) {
    ArenaStats stats = arena == null ? ArenaStats.EMPTY : arena.stats();
    return remote.toException(
        "no space became free for an item",
        detail -> {
          FailureDetail more = detail.with("index", index).with("heldByConsumer", stats.held());
          if (!stats.oldestHolder().isEmpty()) {
            more =
                more.with("oldestUnit", stats.oldestUnit())
                    .with("oldestHolder", stats.oldestHolder());
          }
          return more;
        });
  }

  static WorkerFailedException notRestored(Throwable cause, long index) {
    return new WorkerFailedException(
        FailureDetail.of("an item could not be restored")
            .with("index", index)
            .with("reason", ThrowableText.line(cause))
            .advise("the following items are not affected"),
        cause);
  }

  /** A worker has sent a number that cannot be true. */
  public static ArenaCorruptedException brokenProtocol(
      String what, String factName, long value, long expected) {
    return new ArenaCorruptedException(
        useless(FailureDetail.of(what).with(factName, value).with("expected", expected)));
  }

  /** A worker has sent bytes that cannot be read. */
  public static ArenaCorruptedException unreadable(String what, long bytes, Exception reason) {
    return new ArenaCorruptedException(
        useless(
            FailureDetail.of(what)
                .with("bytes", bytes)
                .with("reason", String.valueOf(reason.getMessage()))),
        reason);
  }

  private static FailureDetail useless(FailureDetail detail) {
    return detail.advise("close the iterable; nothing more can be read from this worker");
  }
}
