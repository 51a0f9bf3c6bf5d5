package dev.holdfast.peers;

import io.aeron.Aeron;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** What both ends of the stream agree about. */
final class AeronStream {
  /** The longest fragment that Aeron has, so that a chunk is as large as it can be. */
  private static final int MTU_BYTES = 65504;

  /** The default of Aeron for IPC. The log has three terms of this size. */
  static final int TERM_BYTES = 64 << 20;

  static final int LOG_BUFFERS = 3;
  static final int STREAM = 1;
  static final String CHANNEL = "aeron:ipc?term-length=" + TERM_BYTES + "|mtu=" + MTU_BYTES;

  private AeronStream() {}

  static Aeron connect(String folder) {
    return Aeron.connect(
        new Aeron.Context()
            .aeronDirectoryName(folder)
            .threadFactory(Peers.threads("aeron-client"))
            .errorHandler(AeronStream::rethrow)
            .subscriberErrorHandler(AeronStream::rethrow));
  }

  /** Spins, yields, then sleeps up to a millisecond: Aeron's advice where cores are shared. */
  static IdleStrategy idle() {
    return new BackoffIdleStrategy(
        100, 10, TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(1));
  }

  private static void rethrow(Throwable failure) {
    switch (failure) {
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IllegalStateException(failure);
    }
  }
}
