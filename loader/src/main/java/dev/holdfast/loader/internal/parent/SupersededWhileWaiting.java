package dev.holdfast.loader.internal.parent;

/** Ends a wait for a message because a newer pass has begun. */
final class SupersededWhileWaiting extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SupersededWhileWaiting() {
    super("a newer pass has begun", null, false, false);
  }
}
