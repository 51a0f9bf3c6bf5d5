package dev.holdfast.arena;

import java.io.Serializable;
import java.util.UUID;

/**
 * Shared memory reserved once, with one writer endpoint and one reader endpoint.
 *
 * <p>What crosses to another process by serialization is a description; the receiver attaches on
 * first use and never becomes responsible for removing anything. Thread-safe. Users can bring their
 * own: the loader knows only this interface.
 */
public interface SharedMemoryArena extends Serializable, AutoCloseable {

  /**
   * Returns the identity that receipts carry.
   *
   * @return the id, the same in every process
   */
  UUID arenaId();

  /**
   * Opens the writer endpoint for this process.
   *
   * @return the endpoint
   * @throws IllegalStateException when a process holds it already; the message names its pid
   * @throws ArenaClosedException when the arena is closed
   */
  ArenaWriter openWriter();

  /**
   * Opens the reader endpoint for this process.
   *
   * @return the endpoint
   * @throws IllegalStateException when a process holds it already; the message names its pid
   * @throws ArenaClosedException when the arena is closed
   */
  ArenaReader openReader();

  /**
   * Says that no more space will be waited for: waits in either process end with {@link
   * ArenaClosedException}. An open unit may still commit if it fits without waiting; restores and
   * leases go on. Repeatable, from either side; releases nothing.
   */
  void shutdown();

  /**
   * Wakes whoever waits for space in this arena, in either process, to look at its conditions
   * again.
   */
  default void wake() {}

  /**
   * Ends this process's use. Waits end, views and holds live on, and the last one unmaps. Repeating
   * it does nothing, or tries again what could not be finished before.
   *
   * @throws StorageRetainedException when something could not be finished with certainty
   */
  @Override
  void close();

  /**
   * Ends attaching: removes the name and the owner's descriptor. Touches no mapping and no view.
   * Does nothing in a process that only attached. Repeating it does nothing.
   */
  void unlink();

  /**
   * Replaces an endpoint whose process has died. Only the process that made the arena may ask. Does
   * nothing when nobody had claimed that endpoint.
   *
   * @param side whose process has died
   * @throws IllegalStateException when the process that holds the endpoint is alive, or the caller
   *     is not the owner, or the reader of a stream is to be replaced while a process other than
   *     the caller has the writer: have that close its writer first
   */
  default void takeOver(Side side) {
    throw new UnsupportedOperationException(
        getClass().getName() + " cannot replace a dead endpoint");
  }

  /**
   * Returns the figures of this arena as this process sees them.
   *
   * @return a snapshot
   */
  default ArenaStats stats() {
    return ArenaStats.EMPTY;
  }
}
