package dev.holdfast.loader.internal.region;

/** The worker that an input was being sent to has ended. Ends the wait. */
final class LostWorker extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LostWorker() {
    super("the worker has ended", null, false, false);
  }
}
