package dev.holdfast.loader;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The consumer's right to one restored item. Closing it ends the item's views and gives their
 * storage back; an item without views needs no close, and tolerates it.
 *
 * <p>The scope decides which thread may close: see {@link ViewScope}. A lease stays valid when its
 * iterator was superseded and when the iterable was closed.
 *
 * @param <T> the type of the item
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public interface Lease<T extends @Nullable Object> extends AutoCloseable {

  /**
   * Returns the item. Its views throw {@link IllegalStateException} when used after they have
   * ended.
   *
   * @return the item, the same object each time; null when the source yielded null
   */
  T item();

  /**
   * Adds a hold on all of the item's storage.
   *
   * @return the hold; an empty one when the item has no storage in an arena
   * @throws IllegalStateException when the lease is not open
   */
  StorageHold hold();

  /**
   * Returns the right to the unit behind the item.
   *
   * @return the unit's lease, or nothing when the item has no storage in an arena
   */
  Optional<UnitLease> unit();

  /**
   * Ends the lease. Repeating it does nothing.
   *
   * @throws WrongThreadException when the lease is CONFINED, open, and the caller is another thread
   * @throws IllegalStateException when the lease is CONFINED and an alias is inside a native call
   *     or a channel operation; nothing has changed then
   */
  @Override
  void close();

  /**
   * Ends the lease and waits until the views have ended.
   *
   * @param timeout how long to wait at most
   * @return true when the views have ended
   * @throws dev.holdfast.arena.HoldfastInterruptedException when the thread was interrupted while
   *     it waited
   */
  boolean close(Duration timeout);
}
