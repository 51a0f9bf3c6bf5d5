package dev.holdfast.loader;

import dev.holdfast.loader.internal.parent.WorkerStarter;
import dev.holdfast.loader.pipeline.Pipeline;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs iterables in worker processes. */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class Subprocess {
  private Subprocess() {}

  /**
   * Starts a worker with default options and iterates over what its source yields.
   *
   * @param source what the worker runs over
   * @param <T> the type of the items
   * @return the items; the caller closes it
   * @throws IllegalArgumentException when the source cannot be serialized; no process was started
   * @throws WorkerFailedException when opening the source failed in the worker
   * @throws WorkerDiedException when the process could not be started or ended too soon
   * @throws WorkerTimeoutException when the worker was not ready in time
   */
  public static <T extends @Nullable Object> SubprocessIterable<T> iterate(WorkerSource<T> source) {
    return iterate(source, SubprocessOptions.defaults());
  }

  /**
   * Starts a worker and iterates over what its source yields. Returns when the worker has run its
   * initializers and opened the source. The arena in the options belongs to the iterable from here
   * on, also when this call fails: it is closed and unlinked then.
   *
   * @param source what the worker runs over
   * @param options how to start it
   * @param <T> the type of the items
   * @return the items; the caller closes it
   * @throws IllegalArgumentException when the source or an initializer cannot be serialized, with
   *     the path to what cannot; no process was started
   * @throws WorkerFailedException when an initializer or opening the source failed in the worker
   * @throws WorkerDiedException when the process could not be started or ended too soon
   * @throws WorkerTimeoutException when the worker was not ready in time
   * @throws dev.holdfast.arena.HoldfastInterruptedException when the thread was interrupted while
   *     it waited
   */
  public static <T extends @Nullable Object> SubprocessIterable<T> iterate(
      WorkerSource<T> source, SubprocessOptions options) {
    return WorkerStarter.start(
        Objects.requireNonNull(source, "source"), Objects.requireNonNull(options, "options"));
  }

  /**
   * Runs a whole pipeline in a worker and iterates over its results. The workers of its regions are
   * children of that worker, which calls the functions that give their arenas, and closes and
   * unlinks what they make. All of them are gone within 5 s when this process ends, however it
   * ends.
   *
   * @param pipeline the pipeline
   * @param options how to start the worker that runs it
   * @param <T> the type of the results
   * @return the results; the caller closes it
   * @throws IllegalArgumentException as {@link #iterate(WorkerSource, SubprocessOptions)}, and when
   *     a function that gives arenas has captured one, with the path to it; no process was started
   * @throws WorkerFailedException when the pipeline could not be built in the worker
   * @throws WorkerDiedException when the process could not be started or ended too soon
   * @throws WorkerTimeoutException when the worker was not ready in time
   */
  public static <T extends @Nullable Object> SubprocessIterable<T> iterate(
      Pipeline<T> pipeline, SubprocessOptions options) {
    return iterate(pipeline.asSource(), options);
  }
}
