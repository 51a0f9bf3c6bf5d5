package dev.holdfast.arena.internal.life;

/**
 * Makes sure of the stack that giving back needs. A thread of the user may be at the very end of
 * its stack, and an overflow in the midst of a give-back would lose what was half done: whoever
 * closes something comes only once. So an overflow comes before the first step or not at all. What
 * was to be closed is open still, and can be closed again, or is found by the collector.
 *
 * <p>Java says of no thread how much stack it has left, so the only way to know is to use it: calls
 * that need more of it than the longest give-back, also when these are compiled, and what follows
 * is interpreted.
 */
public final class StackRoom {
  private static final int CALLS = 96;

  /** What lies between one that asks and another one in it, and some more. */
  private static final int CALLS_BETWEEN = 32;

  private StackRoom() {}

  /**
   * Returns when a give-back will not run out of stack.
   *
   * @throws StackOverflowError when it could; nothing has changed then
   */
  public static void require() {
    requireAround(0);
  }

  /**
   * Returns when neither a give-back nor those that ask again on the way to it will run out of
   * stack.
   *
   * @param asking how many ask on the way, one within the other
   * @throws StackOverflowError when it could; nothing has changed then
   */
  public static void requireAround(int asking) {
    var _ = used(CALLS + asking * CALLS_BETWEEN, 1, 2, 3, 4, 5);
  }

  /** The arguments could be needed behind the call, so that each frame has to keep them. */
  private static long used(int calls, long a, long b, long c, long d, long e) {
    if (calls == 0) {
      return 0;
    }
    long never = used(calls - 1, a, b, c, d, e);
    return never == 0 ? 0 : a + b + c + d + e;
  }
}
