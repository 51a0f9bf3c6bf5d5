package dev.holdfast.loader.internal.pipeline;

/** The pipeline was closed. Ends its threads; never seen by user code. */
public final class Stopped extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes one. */
  public Stopped() {
    super("the pipeline was closed", null, false, false);
  }
}
