package dev.holdfast.cli.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/**
 * Processor time of the thread that consumes, which is the one that made the clock, and of
 * Holdfast's own threads in this process. The cost of looking at the other threads is not counted.
 */
final class ConsumerClock {
  private static final String OWN_THREADS = "holdfast-";

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private long ownAtStart;
  private long consumerAtStart;

  void start() {
    ownAtStart = ownThreads();
    consumerAtStart = threads.getCurrentThreadCpuTime();
  }

  long nanosSinceStart() {
    long consumer = threads.getCurrentThreadCpuTime() - consumerAtStart;
    return consumer + ownThreads() - ownAtStart;
  }

  private long ownThreads() {
    long sum = 0;
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info != null && info.getThreadName().startsWith(OWN_THREADS)) {
        sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
      }
    }
    return sum;
  }
}
