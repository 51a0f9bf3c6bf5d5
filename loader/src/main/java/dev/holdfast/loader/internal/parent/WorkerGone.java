package dev.holdfast.loader.internal.parent;

/** Ends a wait for a message because the worker's process has ended. */
final class WorkerGone extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WorkerGone() {
    super("the worker's process has ended", null, false, false);
  }
}
