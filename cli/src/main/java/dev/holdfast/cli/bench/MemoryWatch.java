package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.ProcessUsage;
import java.util.OptionalLong;

/**
 * Looks again and again at the memory of both processes of a cell. Looking takes long and stops
 * both from mapping anything meanwhile, so this has a pass of its own.
 */
final class MemoryWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 20;

  private final long self = ProcessHandle.current().pid();
  private final OptionalLong producer;
  private final Thread thread = new Thread(this::run, "cell-memory-watch");
  private volatile boolean closed;

  // Guarded by this.
  private long peakBytes;

  MemoryWatch(OptionalLong producer) {
    this.producer = producer;
    thread.setDaemon(true);
  }

  MemoryWatch start() {
    thread.start();
    return this;
  }

  private void run() {
    while (!closed) {
      look();
      Pause.millis(PERIOD_MILLIS);
    }
  }

  private synchronized void look() {
    long bytes = ProcessUsage.pssBytes(self);
    if (producer.isPresent()) {
      bytes += ProcessUsage.pssBytes(producer.getAsLong());
    }
    peakBytes = Math.max(peakBytes, bytes);
  }

  /** Looks once more and returns the largest sum that was seen. */
  long peakBytes() {
    look();
    synchronized (this) {
      return peakBytes;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
