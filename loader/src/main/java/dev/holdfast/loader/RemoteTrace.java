package dev.holdfast.loader;

/** Shows a stack of another process where Java prints a cause. */
final class RemoteTrace extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RemoteTrace(String text) {
    super("in the worker: " + text, null, false, false);
  }
}
