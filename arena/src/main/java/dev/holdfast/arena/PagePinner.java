package dev.holdfast.arena;

import dev.holdfast.arena.internal.memory.MlockPinner;
import java.lang.foreign.MemorySegment;

/**
 * Locks pages in memory, so that the kernel does not move them out and a device can copy from them
 * directly.
 *
 * <p>Pinning is off unless an arena is built with a pinner, and it changes no rule of how long
 * bytes live. The process that consumes pins its own mapping; a pinner never crosses to another
 * process. Implementations are thread-safe and keep to a budget of bytes. A {@link Registration}
 * belongs to whoever asked for it and must have ended before its memory is unmapped; arenas see to
 * that themselves.
 */
public interface PagePinner {

  /**
   * Locks memory. Memory that somebody else locked already can be used like any other, and stays as
   * it is when the registration ends. Nothing of zero bytes is locked.
   *
   * @param memory native memory that begins at a page
   * @return the registration, to be closed before the memory is unmapped
   * @throws IllegalArgumentException when the memory lies on the heap or does not begin at a page
   * @throws IllegalStateException when the memory's scope has ended
   * @throws PinningException when it is refused or would exceed the budget; nothing is left locked,
   *     unless a driver has locked the memory in spite of its refusal and refuses to undo that too:
   *     then the exception has a suppressed one that says so, and the memory must stay mapped
   */
  Registration register(MemorySegment memory);

  /**
   * Returns a pinner that locks pages with the operating system, mlock(2), as far as RLIMIT_MEMLOCK
   * allows.
   *
   * @return a pinner without a budget of its own
   */
  static PagePinner mlock() {
    return mlock(Long.MAX_VALUE);
  }

  /**
   * Returns a pinner that locks pages with the operating system, mlock(2).
   *
   * @param budgetBytes the most that may be locked through this pinner at a time
   * @return the pinner
   * @throws IllegalArgumentException when the budget is not positive
   */
  static PagePinner mlock(long budgetBytes) {
    return new MlockPinner(budgetBytes);
  }

  /**
   * Memory that is locked. Thread-safe; the memory must stay mapped until {@link #close} has
   * returned.
   */
  interface Registration extends AutoCloseable {

    /**
     * Returns how much memory is locked.
     *
     * @return bytes, also after the end
     */
    long byteSize();

    /**
     * Returns whether somebody else had locked the memory before, so that it is not ours to unlock.
     *
     * @return true when {@link #close} leaves the memory as it is
     */
    boolean isForeign();

    /**
     * Returns whether the registration stands.
     *
     * @return true until a {@link #close} succeeded
     */
    boolean isActive();

    /**
     * Ends the registration. Repeating it after success does nothing.
     *
     * @throws PinningException when it is refused; the registration stands, and closing can be
     *     tried again
     */
    @Override
    void close();
  }
}
