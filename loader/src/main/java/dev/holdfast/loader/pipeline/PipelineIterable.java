package dev.holdfast.loader.pipeline;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A running pipeline. Each iterator is one pass over the source, in the same threads and workers. A
 * pass may be left at any time: what is under way is dropped. A newer iterator supersedes the older
 * ones, which then throw {@link IllegalStateException}; leases taken from them stay valid.
 *
 * <p>{@code hasNext()} waits for the next result, answers true when an error is due, and throws
 * nothing but {@link dev.holdfast.arena.HoldfastInterruptedException}. {@code next()} throws:
 *
 * <ul>
 *   <li>{@link StageFailedException} when the failure policy says so, or a source failed, after all
 *       earlier items; then the pass has ended, and the next one is a full pass
 *   <li>{@link dev.holdfast.arena.AcquireTimeoutException} when an arena stayed full for its wait
 *       limit while this consumer waited for an item; the next call waits again
 *   <li>{@link dev.holdfast.loader.WorkerDiedException} when a worker ended and is not replaced, or
 *       {@link dev.holdfast.loader.WorkerFailedException} when one cannot work, on every later call
 *   <li>{@link dev.holdfast.arena.ArenaClosedException} when the pipeline was closed
 * </ul>
 *
 * <p>Thread-safe: {@link #close} may come from any thread and ends waits; of several threads that
 * share one iterator each item goes to exactly one. A pipeline that is dropped without a close is
 * closed in the background, and one that is never closed does not keep the JVM from ending.
 *
 * @param <T> the type of the results
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public interface PipelineIterable<T extends @Nullable Object> extends Iterable<T>, AutoCloseable {

  /**
   * Begins a pass whose results keep their storage until the garbage collector finds their last
   * view gone.
   *
   * @return a new iterator
   * @throws dev.holdfast.arena.ArenaClosedException when the pipeline is closed
   */
  @Override
  Iterator<T> iterator();

  /**
   * Returns passes whose results are leased to the thread that takes them: {@link
   * ViewScope#CONFINED}.
   *
   * @return an iterable over leases that are the caller's to close
   */
  default Iterable<Lease<T>> leases() {
    return leases(ViewScope.CONFINED);
  }

  /**
   * Returns passes whose results are leased.
   *
   * @param scope the lifetime of the views of results that come unopened from a region
   * @return an iterable over leases that are the caller's to close
   */
  Iterable<Lease<T>> leases(ViewScope scope);

  /**
   * Returns passes whose results are not restored, for handing on to another thread.
   *
   * @return an iterable over parcels that are the caller's to open or discard
   */
  Iterable<Parcel<T>> parcels();

  /**
   * Returns figures of all stages.
   *
   * @return a snapshot; also after the close
   */
  PipelineStats stats();

  /**
   * Ends the pass in progress, the threads and the workers. Arenas that the caller gave are not
   * closed: both of their sides are free again. Leases and views live on. Repeating it does
   * nothing, or tries again what could not be finished before.
   *
   * @throws dev.holdfast.arena.StorageRetainedException when the end of a worker is not certain
   */
  @Override
  void close();
}
