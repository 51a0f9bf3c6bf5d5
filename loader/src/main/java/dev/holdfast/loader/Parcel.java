package dev.holdfast.loader;

import dev.holdfast.arena.ViewScope;
import org.jspecify.annotations.Nullable;

/**
 * A received item that is still unopened. It can change threads; parcels are opened or discarded in
 * any order, each once: of two calls one wins and the other throws {@link IllegalStateException}.
 * Its storage is held until then.
 *
 * @param <T> the type of the item
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public interface Parcel<T extends @Nullable Object> {

  /**
   * Restores the item on the calling thread.
   *
   * @param scope the lifetime of its views
   * @return the right to the item
   * @throws IllegalStateException when the parcel was opened or discarded before
   * @throws dev.holdfast.arena.ArenaClosedException when the iterable was closed
   * @throws WorkerFailedException when the item cannot be restored; its storage is given back
   */
  Lease<T> open(ViewScope scope);

  /**
   * Gives the item's storage back without restoring it.
   *
   * @throws IllegalStateException when the parcel was opened or discarded before
   */
  void discard();
}
