package dev.holdfast.testkit;

import java.lang.ref.WeakReference;

/** Garbage collections that really happened. */
public final class GcPressure {
  private GcPressure() {}

  /** Asks for collections until an object that was garbage before the call is found to be gone. */
  public static void collect() {
    WeakReference<Object> witness = new WeakReference<>(new Object());
    Deadlines.assertEventually(
        "the garbage collector clears a weak reference",
        () -> {
          System.gc();
          return witness.refersTo(null);
        });
  }

  /**
   * Collects several times, so that what one collection makes unreachable goes with the next.
   *
   * @param times how often
   */
  public static void collect(int times) {
    for (int i = 0; i < times; i++) {
      collect();
    }
  }
}
