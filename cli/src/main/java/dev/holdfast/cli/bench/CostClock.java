package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.ProcessUsage;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.OptionalLong;

/** What both processes of a cell spend from one moment to another. */
final class CostClock {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  private final Session session;
  private final long self = ProcessHandle.current().pid();
  private final OptionalLong producer;
  private final ProducerThreads producerThreads;

  private long consumerAtStart;
  private long producerAtStart;
  private long busyAtStart;
  private long gcMillisAtStart;
  private long gcRequestsAtStart;

  CostClock(Session session) {
    this.session = session;
    producer = session.producerPid();
    producerThreads = new ProducerThreads(producer.orElse(self));
  }

  void start() {
    gcMillisAtStart = gcMillis();
    gcRequestsAtStart = session.gcRequests();
    producerThreads.start();
    producerAtStart = producerNanos();
    busyAtStart = busyNanos();
    consumerAtStart = ProcessUsage.cpuNanos(self);
  }

  /** Returns what was spent since the start, without the memory. */
  CellCost sinceStart(long items) {
    long consumer = ProcessUsage.cpuNanos(self) - consumerAtStart;
    long busy = busyNanos() - busyAtStart;
    long produced = producerNanos() - producerAtStart;
    long threads = producer.isPresent() ? producerThreads.nanosSinceStart() : 0;
    return new CellCost(
        Math.max(0, consumer - busy) / NANOS_PER_SECOND,
        produced / NANOS_PER_SECOND,
        threads / NANOS_PER_MICRO / items,
        gcMillis() - gcMillisAtStart,
        session.gcRequests() - gcRequestsAtStart,
        0);
  }

  private long producerNanos() {
    return producer.isPresent() ? ProcessUsage.cpuNanos(producer.getAsLong()) : 0;
  }

  private static long busyNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info != null && info.getThreadName().startsWith(BusyThreads.NAME)) {
        sum += Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
      }
    }
    return sum;
  }

  private static long gcMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .map(millis -> Math.max(0, millis))
        .sum();
  }
}
