package dev.holdfast.arena.internal.life;

/**
 * The work of a daemon, which nothing ends: many wait for what it does. A failure is told by the
 * work itself; when there was no heap even for that, it goes on without a word.
 */
public final class Endless {
  private Endless() {}

  /**
   * Returns a round again and again.
   *
   * @param round waits for something to do and does it; what it throws ends that round alone
   */
  public static Runnable of(Runnable round) {
    return () -> {
      while (true) {
        var _ = Thread.interrupted(); // user code can find this thread, and a park would not wait
        try {
          round.run();
        } catch (RuntimeException | Error e) {
          Thread.onSpinWait();
        }
      }
    };
  }
}
