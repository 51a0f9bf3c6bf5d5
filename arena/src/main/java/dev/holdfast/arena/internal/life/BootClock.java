package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.internal.os.Clocks;

/**
 * Milliseconds since boot, the same for all processes of the machine: the only clock whose values
 * are stored in shared memory, and only for people to read.
 */
public final class BootClock {
  private static final Once<Long> OFFSET_NANOS =
      new Once<>(() -> Clocks.bootNanos() - System.nanoTime());

  private BootClock() {}

  /** Makes sure that the clock works later, whatever lacks then. */
  public static void prepare() {
    var _ = OFFSET_NANOS.get();
  }

  /** Returns the time now. */
  public static long millis() {
    return (System.nanoTime() + OFFSET_NANOS.get()) / 1_000_000;
  }
}
