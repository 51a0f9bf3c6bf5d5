package dev.holdfast.loader.internal.worker;

/** The parent has told this worker to end. */
final class EndWorker extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EndWorker() {
    super("the parent has told this worker to end", null, false, false);
  }
}
