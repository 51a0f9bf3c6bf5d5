package dev.holdfast.arena;

/**
 * The endpoint that opens units and gives their storage back.
 *
 * <p>{@link #reset} and {@link #admit} belong to the thread that reads the channel; receipts are
 * admitted strictly in order. Admitted units may be opened or discarded on any thread, in any
 * order, each once: of two calls for one unit one wins and the other throws {@link
 * IllegalStateException}.
 */
public interface ArenaReader extends AutoCloseable {

  /** Prepares for a new iteration. Changes no counter and no lease. */
  void reset();

  /**
   * Takes note of a unit whose receipt has arrived. From here on it counts as held.
   *
   * @param receipt the receipt, as it came
   * @throws ArenaCorruptedException when it is not the next one expected, of another generation or
   *     arena, or its numbers cannot be true; nothing has changed then
   */
  void admit(UnitReceipt receipt);

  /**
   * Opens an admitted unit on the calling thread. Any number may be open at once.
   *
   * @param receipt the unit's receipt
   * @param scope the lifetime of the views
   * @return the open unit, which belongs to the calling thread until {@link OpenUnit#endUnit}
   * @throws IllegalStateException when the unit was not admitted, or was opened or discarded before
   */
  OpenUnit beginUnit(UnitReceipt receipt, ViewScope scope);

  /**
   * Gives an admitted unit back without opening it. Closing the arena has done so for every unit
   * that was not opened; then this does nothing.
   *
   * @param receipt the unit's receipt
   * @throws IllegalStateException as {@link #beginUnit}
   */
  void discard(UnitReceipt receipt);

  /**
   * Returns whether views alias the arena itself.
   *
   * @return true when a view keeps the arena's storage, false when it is of a private copy
   */
  boolean zeroCopy();

  /**
   * Returns whether views can be written. Small payloads that travel outside the arena follow the
   * same rule.
   *
   * @return true when the arena was made with writable views
   */
  default boolean writableViews() {
    return false;
  }

  /**
   * Returns whether plain iteration should make heap copies for a while, because storage that only
   * the garbage collector can free keeps the writer waiting and collections cannot be had or cost
   * too much.
   *
   * @return true while copies are advised
   */
  default boolean heapCopiesAdvised() {
    return false;
  }

  /**
   * Ends this endpoint: nothing can be admitted any more. What was admitted can still be opened or
   * discarded; leases and views go on. When no admitted or held unit is left, the right to read
   * goes back to the arena. Repeating it does nothing.
   */
  @Override
  void close();
}
