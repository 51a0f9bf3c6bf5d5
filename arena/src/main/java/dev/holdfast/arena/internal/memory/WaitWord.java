package dev.holdfast.arena.internal.memory;

/**
 * The word by which one side says that it waits for a signal of the other, and what the other did
 * about it.
 *
 * <p>It holds the number of the wait, made of the signal that the waiter saw before, so that a wait
 * is woken once: between that and the moment at which the woken thread gets a processor many units
 * may pass, and to wake nobody is a system call for each. Who wakes reads the number first and
 * bumps the signal then, so no later wait has the number of one that was woken.
 */
public final class WaitWord {
  /** Nobody waits. */
  public static final int NOBODY = 0;

  /** Somebody waits, or several do, who have to be woken each time. */
  public static final int SOMEBODY = 1;

  private final SharedWords words;
  private final long offset;
  private final long signalOffset;

  /** The wait that was woken last; a thread that sees an older one wakes once too often. */
  private int woken = NOBODY;

  /**
   * Makes the word.
   *
   * @param words the shared words
   * @param offset where it lies
   * @param signalOffset where the signal lies that the waiter waits on
   */
  public WaitWord(SharedWords words, long offset, long signalOffset) {
    this.words = words;
    this.offset = offset;
    this.signalOffset = signalOffset;
  }

  /** Returns the number of a wait for the signal to change from what it was seen to be. */
  public static int number(int seen) {
    return seen << 1 | SOMEBODY;
  }

  /** Says which wait begins, or that {@link #NOBODY} waits. The waiter's. */
  public void announce(int wait) {
    words.setIntVolatile(offset, wait);
  }

  /** Returns whether somebody waits. */
  public boolean isAnnounced() {
    return words.getIntVolatile(offset) != NOBODY;
  }

  /** Bumps the signal and wakes who waits, unless nobody does or that was done. */
  public void signal() {
    int wait = words.getIntVolatile(offset);
    if (isToBeWoken(wait)) {
      var _ = words.getAndAddInt(signalOffset, 1);
      words.wake(signalOffset);
      woken = wait;
    }
  }

  private boolean isToBeWoken(int wait) {
    return wait != NOBODY && (wait == SOMEBODY || wait != woken);
  }
}
