package dev.holdfast.cuda.internal;

import dev.holdfast.arena.PagePinner;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's stream, staging memory and kept results. The lock is held during a transfer, and by
 * whoever gives everything back. Stream and event are made when they are first needed.
 */
final class LaneResources {
  private final CudaContext context;
  private final Staging staging;
  private final int keep;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Object> kept = new ArrayDeque<>(); // this and the following guarded by lock
  private @Nullable CudaStream stream;
  private @Nullable CudaEvent event;

  /**
   * Makes a lane without anything.
   *
   * @param makeRoom has other lanes give up idle staging memory; returns whether any did
   */
  LaneResources(
      CudaContext context, @Nullable PagePinner stagingPinner, BooleanSupplier makeRoom, int keep) {
    this.context = context;
    this.staging = new Staging(stagingPinner, makeRoom);
    this.keep = keep;
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** Returns whether the calling thread is in a transfer with it. */
  boolean isHeldByCaller() {
    return lock.isHeldByCurrentThread();
  }

  /** Gives idle staging memory back unless a transfer is under way; returns whether any went. */
  boolean giveUpIdleStaging() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return staging.clear();
    } finally {
      lock.unlock();
    }
  }

  Staging staging() {
    return staging;
  }

  CudaStream stream() {
    CudaStream known = stream;
    if (known == null) {
      known = new CudaStream(context);
      stream = known;
    }
    return known;
  }

  /**
   * Has the stream wait for an event, or when that is 0 for what the default stream was asked for
   * until now.
   */
  void waitForProducer(CudaStream waiting, long producer) {
    if (producer != 0) {
      waiting.waitFor(producer);
      return;
    }
    CudaEvent own = event;
    if (own == null) {
      own = new CudaEvent(context);
      event = own;
    }
    own.recordOnDefaultStream();
    waiting.waitFor(own.handle());
  }

  /** The quarantine has the stream; the next transfer gets a new one. */
  void giveUpStream() {
    stream = null;
  }

  void keep(Object result) {
    if (keep > 0) {
      kept.addLast(result);
      if (kept.size() > keep) {
        kept.removeFirst();
      }
    }
  }

  /** Gives everything back, after a transfer under way. Repeating it does nothing. */
  void close() {
    lock.lock();
    try {
      kept.clear();
      var _ = staging.clear();
      if (stream != null) {
        stream.destroy();
        stream = null;
      }
      if (event != null) {
        event.destroy();
        event = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
