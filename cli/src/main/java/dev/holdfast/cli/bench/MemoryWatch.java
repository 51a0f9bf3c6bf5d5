package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.ProcessUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Looks again and again at the memory of both processes of a cell. Looking takes long and stops
 * both from mapping anything meanwhile, so this has a pass of its own.
 */
final class MemoryWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 20;

  private final List<Long> processes = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "cell-memory-watch");
  private volatile boolean closed;

  // Guarded by this.
  private double peakBytes = Double.NaN;

  MemoryWatch(OptionalLong producer) {
    processes.add(ProcessHandle.current().pid());
    producer.ifPresent(processes::add);
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
    ProcessUsage.pssBytes(processes)
        .ifPresent(bytes -> peakBytes = peakBytes >= bytes ? peakBytes : bytes);
  }

  /** Looks once more and returns the largest sum that was seen, NaN when there was none. */
  double peakBytes() {
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
