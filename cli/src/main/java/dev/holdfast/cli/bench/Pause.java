package dev.holdfast.cli.bench;

/** Sleeping where an interrupt ends the program anyway. */
final class Pause {
  private Pause() {}

  static void millis(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
