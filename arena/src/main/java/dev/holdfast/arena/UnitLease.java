package dev.holdfast.arena;

import java.time.Duration;

/**
 * The consumer's right to one restored unit. Closing it ends the views and gives the storage back.
 *
 * <p>CONFINED: {@link #close} must be called by the thread that opened the unit, and has ended all
 * views when it returns. SHARED: any thread may close; views read their own right bytes until a
 * closer thread has ended them and throw {@link IllegalStateException} afterwards, and only then is
 * the storage given back. COLLECTED: closing ends no view; the garbage collector does. A lease that
 * is dropped without a close is found by the collector, gives its storage back and is reported once
 * in the log.
 */
public interface UnitLease extends AutoCloseable {

  /** How far a lease has come. */
  enum State {
    /** Views can be read and holds can be taken. */
    OPEN,
    /** Closed by its user; a closer thread has not ended the views yet. */
    CLOSING,
    /** The views have ended. */
    CLOSED
  }

  /**
   * Adds a hold: the unit's bytes stay in place until it is closed too, whatever happens to the
   * lease.
   *
   * @return the hold
   * @throws IllegalStateException when the lease is not open
   */
  StorageHold hold();

  /**
   * Returns how far this lease has come.
   *
   * @return the state at this moment
   */
  State state();

  /**
   * Returns the lifetime of the unit's views.
   *
   * @return the scope
   */
  ViewScope scope();

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
   * @return true when the views have ended; always for CONFINED, never for COLLECTED while aliases
   *     live
   * @throws HoldfastInterruptedException when the thread was interrupted while it waited
   */
  boolean close(Duration timeout);
}
