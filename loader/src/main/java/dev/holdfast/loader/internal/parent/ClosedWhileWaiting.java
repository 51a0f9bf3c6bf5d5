package dev.holdfast.loader.internal.parent;

/** Ends a wait for a message because the iterable was closed. */
final class ClosedWhileWaiting extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ClosedWhileWaiting() {
    super("the iterable was closed", null, false, false);
  }
}
