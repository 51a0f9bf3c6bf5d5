package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.text.ProcessUsage;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Figures beside the time. */
final class CostTest {
  private static final long MILLI = 1_000_000;

  @Test
  void busyThreadsAreNotCountedWithTheConsumersProcess() {
    CostClock clock = new CostClock(new Sleepy(0, OptionalLong.empty()));
    clock.start();
    long self = ProcessHandle.current().pid();
    long begin = cpuNanos(self);
    try (BusyThreads _ = new BusyThreads(2).start()) {
      while (cpuNanos(self) - begin < 400 * MILLI) {
        Pause.millis(5);
      }
      CellCost cost = clock.sinceStart(10);
      assertTrue(cost.consumerCpuSeconds() < 0.2, cost.toString());
      assertEquals(0, cost.producerCpuSeconds());
      assertEquals(0, cost.producerMicrosPerItem());
    }
  }

  @Test
  void aThreadOfTheProducerIsCountedByItsItems() {
    long self = ProcessHandle.current().pid();
    CostClock clock = new CostClock(new Sleepy(0, OptionalLong.of(self)));
    clock.start();
    long begin = threadNanos();
    while (threadNanos() - begin < 100 * MILLI) {
      Thread.onSpinWait();
    }

    CellCost cost = clock.sinceStart(10);
    // what the kernel shows of a running thread may be some ticks old
    assertTrue(cost.producerMicrosPerItem() > 5_000, cost.toString());
    assertTrue(cost.producerCpuSeconds() >= 0.1, cost.toString());
  }

  @Test
  void collectionsAreCountedOverTheTimedPasses() {
    Sleepy session = new Sleepy(0, OptionalLong.empty());
    session.requests = 3;
    CostClock clock = new CostClock(session);
    clock.start();
    session.requests = 5;
    assertEquals(2, clock.sinceStart(1).gcRequests());
  }

  @Test
  void aRoundTripIsTheTimeFromTheRequestToTheItem() throws Exception {
    CellSpec cell = SpecFixture.spec(Payload.BUFFER, 8, 5, CellSpec.Measure.LATENCY);
    CellPasses passes = new CellPasses(cell, new Sleepy(1, OptionalLong.empty()));
    for (int pass = 0; pass < cell.firstTimed(); pass++) {
      passes.run(passes.plan());
    }

    Latency latency = RoundTrips.beside(cell).measure(passes);
    assertEquals(5, latency.samples());
    assertTrue(latency.p50() >= 990 && latency.p50() < 100_000, latency.toString());
    assertTrue(latency.p50() <= latency.p99() && latency.p99() <= latency.p999());
    assertTrue(passes.verified());
  }

  @Test
  void theMemoryOfBothProcessesIsAdded() {
    long self = ProcessHandle.current().pid();
    try (MemoryWatch one = new MemoryWatch(OptionalLong.empty());
        MemoryWatch two = new MemoryWatch(OptionalLong.of(self))) {
      double bytes = one.peakBytes();
      assertTrue(bytes > 10 << 20, "peakBytes=" + bytes);
      assertTrue(two.peakBytes() > 1.5 * bytes, "peakBytes=" + two.peakBytes());
    }
  }

  @Test
  void whatCannotBeReadIsNoNumber() throws Exception {
    long gone = goneProcess();
    assertTrue(ProcessUsage.cpuNanos(gone).isEmpty());
    assertTrue(ProcessUsage.cpuSeconds(gone).isEmpty());
    assertTrue(ProcessUsage.pssBytes(gone).isEmpty());

    CostClock clock = new CostClock(new Sleepy(0, OptionalLong.of(gone)));
    clock.start();
    CellCost cost = clock.sinceStart(10);
    assertTrue(Double.isNaN(cost.producerCpuSeconds()), cost.toString());
    assertTrue(Double.isNaN(cost.producerMicrosPerItem()), cost.toString());
    assertTrue(cost.consumerCpuSeconds() >= 0, cost.toString());
    try (MemoryWatch watch = new MemoryWatch(OptionalLong.of(gone))) {
      assertTrue(Double.isNaN(watch.peakBytes()), "peakBytes=" + watch.peakBytes());
    }
    OptionalLong none = OptionalLong.empty();
    OptionalLong some = OptionalLong.of(50 * MILLI);
    assertTrue(Double.isNaN(WaitRun.corePercent(some, none)));
    assertTrue(Double.isNaN(WaitRun.corePercent(none, some)));
    assertEquals(1, WaitRun.corePercent(some, OptionalLong.of(100 * MILLI)));
  }

  @Test
  void theTimeOfThreadsThatIsNotMeasuredIsNoNumber() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    ConsumerClock clock = new ConsumerClock(List.of());
    clock.start();
    threads.setThreadCpuTimeEnabled(false);
    try {
      assertTrue(Double.isNaN(clock.nanosSinceStart()));
    } finally {
      threads.setThreadCpuTimeEnabled(true);
    }
    clock.start();
    assertTrue(clock.nanosSinceStart() >= 0);
  }

  @Test
  void allFiguresOfACellBesideBusyThreadsAreTakenBesideThem() throws Exception {
    Session inline = new InlineTransport().open(SpecFixture.besideBusyThreads(2));
    List<Boolean> busy = new ArrayList<>();
    Session noting =
        new Session() {
          @Override
          public void pass(PassPlan plan, Consumer<Object> consumer) throws Exception {
            busy.add(isBusy());
            inline.pass(plan, consumer);
          }

          @Override
          public OptionalLong producerPid() {
            return OptionalLong.empty();
          }

          @Override
          public void close() {}
        };
    CellSpec cell = SpecFixture.besideBusyThreads(2);
    CellPasses passes = new CellPasses(cell, noting);
    for (int pass = 0; pass < cell.firstTimed(); pass++) {
      passes.run(passes.plan());
    }
    busy.clear();

    CellResult result = new ThroughputRun(passes, List.of()).run(cell.items());

    int roundTrips = busy.size() - cell.passes() - 1;
    assertTrue(roundTrips > result.latency().samples(), busy.toString());
    assertFalse(busy.contains(false), busy.toString());
    assertFalse(isBusy());
    assertTrue(result.verified());
  }

  private static boolean isBusy() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith(BusyThreads.NAME));
  }

  private static long goneProcess() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    return process.pid();
  }

  private static long cpuNanos(long pid) {
    return ProcessUsage.cpuNanos(pid).orElseThrow();
  }

  private static long threadNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Sleeps before each item, and afterwards. */
  private static final class Sleepy implements Session {
    private final long millis;
    private final OptionalLong producer;
    private final Session inline;
    private long requests;

    Sleepy(long millis, OptionalLong producer) {
      this.millis = millis;
      this.producer = producer;
      this.inline =
          new InlineTransport()
              .open(SpecFixture.spec(Payload.BUFFER, 8, 5, CellSpec.Measure.LATENCY));
    }

    @Override
    public void pass(PassPlan plan, Consumer<Object> consumer) throws Exception {
      inline.pass(
          plan,
          item -> {
            Pause.millis(millis);
            consumer.accept(item);
          });
      Pause.millis(100 * millis);
    }

    @Override
    public OptionalLong producerPid() {
      return producer;
    }

    @Override
    public long gcRequests() {
      return requests;
    }

    @Override
    public void close() {}
  }
}
