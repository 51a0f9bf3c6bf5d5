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

  private double consumerAtStart;
  private double producerAtStart;
  private double busyAtStart;
  private double gcMillisAtStart;
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
    consumerAtStart = nanosOf(self);
  }

  /** Returns what was spent since the start, without the memory. */
  CellCost sinceStart(long items) {
    double consumer = nanosOf(self) - consumerAtStart;
    double busy = busyNanos() - busyAtStart;
    double produced = producerNanos() - producerAtStart;
    double threads = producer.isPresent() ? producerThreads.nanosSinceStart() : 0;
    return new CellCost(
        Math.max(0, consumer - busy) / NANOS_PER_SECOND,
        produced / NANOS_PER_SECOND,
        threads / NANOS_PER_MICRO / items,
        gcMillis() - gcMillisAtStart,
        session.gcRequests() - gcRequestsAtStart,
        0);
  }

  private double producerNanos() {
    return producer.isPresent() ? nanosOf(producer.getAsLong()) : 0;
  }

  private static double nanosOf(long pid) {
    OptionalLong nanos = ProcessUsage.cpuNanos(pid);
    return nanos.isPresent() ? nanos.getAsLong() : Double.NaN;
  }

  private static double busyNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double sum = 0;
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info != null && info.getThreadName().startsWith(BusyThreads.NAME)) {
        long nanos = threads.getThreadCpuTime(info.getThreadId());
        sum += nanos < 0 ? Double.NaN : nanos;
      }
    }
    return sum;
  }

  private static double gcMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .mapToDouble(millis -> millis < 0 ? Double.NaN : millis)
        .sum();
  }
}
