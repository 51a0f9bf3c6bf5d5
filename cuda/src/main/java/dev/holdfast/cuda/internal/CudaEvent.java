package dev.holdfast.cuda.internal;

/** An event: a point in what a stream was asked for. Used by one thread at a time. */
final class CudaEvent {
  private static final int DISABLE_TIMING = 2;
  private static final long DEFAULT_STREAM = 0;

  private final CudaContext context;
  private final long handle;

  CudaEvent(CudaContext context) {
    this.context = context;
    this.handle = context.make(CudaCall.EVENT_CREATE, DISABLE_TIMING);
  }

  long handle() {
    return handle;
  }

  /** Marks what the device's default stream was asked for until now. */
  void recordOnDefaultStream() {
    Driver.check(
        CudaCall.EVENT_RECORD, context.call(CudaCall.EVENT_RECORD, handle, DEFAULT_STREAM));
  }

  /** Gives the event back. */
  void destroy() {
    context.end(CudaCall.EVENT_DESTROY, handle);
  }
}
