package dev.holdfast.peers;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of the size of an item that go round between the event loop, which fills them, and the
 * consumer's thread. When none is free the event loop stops reading from the socket, and is told
 * when one is given back.
 */
final class NettyFrames {
  /**
   * One buffer.
   *
   * @param buffer filled from its position on
   * @param memory all of it
   */
  record Frame(ByteBuffer buffer, MemorySegment memory) {}

  /*
   * The event loop says that it is stalled, then looks for a free buffer once more; the consumer
   * gives one back, then looks whether the event loop is stalled. One of both sees the other.
   */
  private final BlockingQueue<Frame> free = new LinkedBlockingQueue<>();
  private final BlockingQueue<Frame> full = new LinkedBlockingQueue<>();
  private final int sizeBytes;
  private volatile @Nullable Runnable stalled;
  private volatile @Nullable Throwable failure;

  NettyFrames(int sizeBytes, int count) {
    this.sizeBytes = sizeBytes;
    for (int i = 0; i < count; i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(sizeBytes);
      free.add(new Frame(buffer, MemorySegment.ofBuffer(buffer)));
    }
  }

  int sizeBytes() {
    return sizeBytes;
  }

  /** Returns an empty frame, or null, and then {@code resume} is called when there is one. */
  @Nullable Frame empty(Runnable resume) {
    Frame frame = free.poll();
    if (frame == null) {
      stalled = resume;
      frame = free.poll();
      if (frame != null) {
        stalled = null;
      }
    }
    return frame;
  }

  void filled(Frame frame) {
    full.add(frame);
  }

  void failed(Throwable cause) {
    failure = cause;
  }

  /** Returns the next item, or null when none came in time. */
  @Nullable Frame take(long millis) throws IOException, InterruptedException {
    Frame frame = full.poll(millis, TimeUnit.MILLISECONDS);
    Throwable cause = failure;
    if (frame == null && cause != null) {
      throw new IOException("the socket failed", cause);
    }
    return frame;
  }

  void giveBack(Frame frame) {
    frame.buffer().clear();
    free.add(frame);
    Runnable resume = stalled;
    if (resume != null) {
      stalled = null;
      resume.run();
    }
  }
}
