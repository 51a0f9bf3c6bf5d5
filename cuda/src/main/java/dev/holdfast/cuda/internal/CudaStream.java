package dev.holdfast.cuda.internal;

import java.util.concurrent.locks.LockSupport;

/**
 * A stream that does not wait for the default one. Used by one thread at a time, but {@link
 * #isIdle} by any.
 *
 * <p>A platform thread waits inside the driver. A virtual thread asks again and again, with growing
 * pauses, so that many of them need few platform threads.
 */
final class CudaStream {
  private static final int NON_BLOCKING = 1;
  private static final long FIRST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  private final CudaContext context;
  private final long handle;

  CudaStream(CudaContext context) {
    this.context = context;
    this.handle = context.make(CudaCall.STREAM_CREATE, NON_BLOCKING);
  }

  CudaContext context() {
    return context;
  }

  long handle() {
    return handle;
  }

  /**
   * Waits until all that was asked of this stream has happened; throws DeviceException when that is
   * unproved.
   */
  void synchronize() {
    if (Thread.currentThread().isVirtual()) {
      poll();
    } else {
      Driver.check(CudaCall.STREAM_SYNCHRONIZE, context.call(CudaCall.STREAM_SYNCHRONIZE, handle));
    }
  }

  private void poll() {
    boolean interrupted = false;
    long pause = FIRST_PAUSE_NANOS;
    try {
      while (!isIdle()) {
        LockSupport.parkNanos(this, pause);
        interrupted |= Thread.interrupted();
        pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether all has happened; throws DeviceException when the driver does not say. */
  boolean isIdle() {
    int code = context.call(CudaCall.STREAM_QUERY, handle);
    if (code == CudaCode.NOT_READY) {
      return false;
    }
    Driver.check(CudaCall.STREAM_QUERY, code);
    return true;
  }

  /** Has the stream wait for an event. */
  void waitFor(long event) {
    Driver.check(
        CudaCall.STREAM_WAIT_EVENT, context.call(CudaCall.STREAM_WAIT_EVENT, handle, event, 0));
  }

  /** Gives the stream back. */
  void destroy() {
    context.end(CudaCall.STREAM_DESTROY, handle);
  }
}
