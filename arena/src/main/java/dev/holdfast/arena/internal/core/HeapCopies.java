package dev.holdfast.arena.internal.core;

/** What the starvation guard advises. */
public final class HeapCopies {
  private HeapCopies() {}

  /** Returns whether plain iteration over an arena should make heap copies for a while. */
  public static boolean advised(ArenaCore core) {
    return StarvationGuard.heapCopiesAdvised(core);
  }
}
