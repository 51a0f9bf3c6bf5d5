package dev.holdfast.cli.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * Processor time of the thread that consumes, which is the one that made the clock, and of the
 * transport's own threads in this process. The cost of looking at the other threads is not counted.
 */
final class ConsumerClock {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final List<String> names;
  private long ownAtStart;
  private long consumerAtStart;

  /**
   * Makes the clock.
   *
   * @param names how the names of own threads begin
   */
  ConsumerClock(List<String> names) {
    this.names = List.copyOf(names);
  }

  void start() {
    ownAtStart = ownThreads();
    consumerAtStart = threads.getCurrentThreadCpuTime();
  }

  /** Returns nanoseconds, NaN when the JVM does not measure the time of threads. */
  double nanosSinceStart() {
    long now = threads.getCurrentThreadCpuTime();
    if (now < 0 || consumerAtStart < 0) {
      return Double.NaN;
    }
    return (double) now - consumerAtStart + ownThreads() - ownAtStart;
  }

  private long ownThreads() {
    long sum = 0;
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info != null && names.stream().anyMatch(info.getThreadName()::startsWith)) {
        sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
      }
    }
    return sum;
  }
}
