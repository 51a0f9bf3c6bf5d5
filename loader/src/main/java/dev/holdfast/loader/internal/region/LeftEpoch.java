package dev.holdfast.loader.internal.region;

/** The pass that an input was being sent for was left. Ends the wait. */
final class LeftEpoch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LeftEpoch() {
    super("the pass was left", null, false, false);
  }
}
