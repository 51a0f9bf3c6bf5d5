package dev.holdfast.arena.internal.memory;

/**
 * Words in memory that two processes share, reached by byte offset. The memory order is in each
 * name. The only way to them, so that a heap double can stand in where threads are model-checked.
 */
public interface SharedWords {

  /** Reads a long with volatile order. */
  long getVolatile(long offset);

  /** Writes a long with volatile order. */
  void setVolatile(long offset, long value);

  /** Reads a long; what follows sees all that its writer did before a release. */
  long getAcquire(long offset);

  /** Writes a long after everything that stands before it. */
  void setRelease(long offset, long value);

  /** Sets a long if it has the expected value, with volatile order. */
  boolean compareAndSet(long offset, long expected, long value);

  /** Reads an int with volatile order. */
  int getIntVolatile(long offset);

  /** Writes an int with volatile order. */
  void setIntVolatile(long offset, int value);

  /** Adds to an int with volatile order and returns the former value. */
  int getAndAddInt(long offset, int delta);

  /**
   * Waits while an int has a value, at most for a time; may return early. Not for virtual threads.
   */
  void awaitChange(long offset, int seen, long nanos);

  /** Wakes all who wait for an int to change, in every process. */
  void wake(long offset);

  /**
   * Ends a run of accesses: one that failed, because the backing file was cut short, is thrown here
   * at the latest. Compiled code reports such a fault only at its next safepoint, which may lie
   * outside the {@code try} that is there for it.
   *
   * @throws InternalError when an access before this call failed and was not reported yet
   */
  default void settle() {}
}
