package dev.holdfast.loader.internal.worker;

/** The consumer has left the pass. Ends waits; never seen by user code's callers. */
final class LeavePass extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LeavePass() {
    super("the consumer has left this pass", null, false, false);
  }
}
