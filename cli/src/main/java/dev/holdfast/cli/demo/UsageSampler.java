package dev.holdfast.cli.demo;

import dev.holdfast.cli.text.ProcessUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches processor time and memory of this process and of its workers while a demo runs. A daemon
 * looks up to five times a second, and so seldom that looking takes no more than a hundredth of the
 * time: the kernel walks over all pages of a process and keeps it from getting more meanwhile.
 * {@link #sample} looks at once. Closing ends the daemon.
 */
final class UsageSampler implements AutoCloseable {
  private static final long PERIOD_NANOS = 200_000_000;
  private static final long SHARE = 100;

  private final long self = ProcessHandle.current().pid();
  private final double cpuAtStart = cpuSecondsOf(self);
  private final List<Long> workers;
  private final Map<Long, Double> cpuSeconds = new HashMap<>();
  private final Thread thread;

  // Guarded by this. NaN until they can be read.
  private double parentCpuSeconds = Double.NaN;
  private double peakPssBytes = Double.NaN;

  private volatile boolean closed;

  UsageSampler(List<Long> workers) {
    this.workers = List.copyOf(workers);
    thread = new Thread(this::run, "holdfast-usage-sampler");
    thread.setDaemon(true);
  }

  UsageSampler start() {
    thread.start();
    return this;
  }

  private void run() {
    while (!closed) {
      long start = System.nanoTime();
      sample();
      long took = System.nanoTime() - start;
      LockSupport.parkNanos(Math.max(PERIOD_NANOS, SHARE * took));
    }
  }

  synchronized void sample() {
    List<Long> all = new ArrayList<>(workers);
    all.add(self);
    ProcessUsage.pssBytes(all)
        .ifPresent(bytes -> peakPssBytes = peakPssBytes >= bytes ? peakPssBytes : bytes);
    for (long worker : workers) {
      ProcessUsage.cpuSeconds(worker)
          .ifPresent(seconds -> cpuSeconds.merge(worker, seconds, Math::max));
    }
    parentCpuSeconds = cpuSecondsOf(self) - cpuAtStart;
  }

  private static double cpuSecondsOf(long pid) {
    return ProcessUsage.cpuSeconds(pid).orElse(Double.NaN);
  }

  synchronized double parentCpuSeconds() {
    return parentCpuSeconds;
  }

  synchronized double workerCpuSeconds() {
    return workers.stream()
        .mapToDouble(worker -> cpuSeconds.getOrDefault(worker, Double.NaN))
        .sum();
  }

  synchronized double peakPssBytes() {
    return peakPssBytes;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
