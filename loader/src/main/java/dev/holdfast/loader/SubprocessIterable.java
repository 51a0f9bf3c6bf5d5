package dev.holdfast.loader;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.ViewScope;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Items that a worker process produces. Each iterator is one full pass over the source, always in
 * the same process. A pass may be left at any time; a newer iterator supersedes the older ones,
 * which then throw {@link IllegalStateException}, while leases taken from them stay valid.
 *
 * <p>{@code hasNext()} may wait for the next record. It restores nothing, answers true when an
 * error is due, and throws nothing but {@link dev.holdfast.arena.HoldfastInterruptedException}.
 * {@code next()} restores the item on the calling thread and throws:
 *
 * <ul>
 *   <li>{@link WorkerFailedException}, or the worker's own typed error, in the place of an item
 *       that could not cross; the following items come
 *   <li>{@link dev.holdfast.arena.AcquireTimeoutException} when the arena stayed full for its wait
 *       limit; the same item comes when there is room
 *   <li>{@link WorkerTimeoutException} when no message came for the limit of inactivity; the next
 *       call waits again
 *   <li>{@link WorkerFailedException} when the user's iterable or iterator threw, after all earlier
 *       items; then the pass has ended, and the next one is a full pass
 *   <li>{@link WorkerDiedException} when the process ended, or {@link
 *       dev.holdfast.arena.ArenaCorruptedException} when it sent nonsense, after all complete items
 *       and on every later call
 *   <li>{@link dev.holdfast.arena.HoldfastInterruptedException} when the thread was interrupted
 *       while it waited; nothing is lost
 *   <li>{@link dev.holdfast.arena.ArenaClosedException} when the iterable was closed
 * </ul>
 *
 * <p>Thread-safe: {@link #close} may come from any thread and ends waits; of several threads that
 * share one iterator each item goes to exactly one. An iterable that is dropped without a close is
 * closed in the background, and one that is never closed does not keep the JVM from ending.
 *
 * @param <T> the type of the items
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public interface SubprocessIterable<T extends @Nullable Object> extends Iterable<T>, AutoCloseable {

  /**
   * Begins a pass whose items keep their storage until the garbage collector finds their last view
   * gone. While that holds the worker up and collections cannot be had, items arrive as read-only
   * heap copies.
   *
   * @return a new iterator
   * @throws dev.holdfast.arena.ArenaClosedException when this iterable is closed
   */
  @Override
  Iterator<T> iterator();

  /**
   * Returns passes whose items are leased to the thread that takes them: {@link
   * ViewScope#CONFINED}.
   *
   * @return an iterable over leases that are the caller's to close
   */
  default Iterable<Lease<T>> leases() {
    return leases(ViewScope.CONFINED);
  }

  /**
   * Returns passes whose items are leased.
   *
   * @param scope the lifetime of the items' views
   * @return an iterable over leases that are the caller's to close
   */
  Iterable<Lease<T>> leases(ViewScope scope);

  /**
   * Returns passes whose items are not restored, for handing on to another thread.
   *
   * @return an iterable over parcels that are the caller's to open or discard
   */
  Iterable<Parcel<T>> parcels();

  /**
   * Returns the worker's process id.
   *
   * @return the pid, also after the process has ended
   */
  long pid();

  /**
   * Returns the arena that the items' storage lies in.
   *
   * @return the arena given in the options, or nothing
   */
  Optional<SharedMemoryArena> arena();

  /**
   * Returns figures of this worker.
   *
   * @return a snapshot; also after the close
   */
  SubprocessStats stats();

  /**
   * Ends the worker, and closes and unlinks the arena. Views and leases live on. The worker is
   * asked first, then told by SIGTERM, then killed: after some five seconds it is gone whatever
   * user code does. Repeating it does nothing, or tries again what could not be finished before.
   *
   * @throws dev.holdfast.arena.StorageRetainedException when the end of the worker or of the arena
   *     is not certain; what is left is tried again in the background
   */
  @Override
  void close();
}
