package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.text.ProcessUsage;
import java.lang.management.ManagementFactory;
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
    long begin = ProcessUsage.cpuNanos(self);
    try (BusyThreads _ = new BusyThreads(2).start()) {
      while (ProcessUsage.cpuNanos(self) - begin < 400 * MILLI) {
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
    passes.run(passes.plan());
    passes.run(passes.plan());

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
      long bytes = one.peakBytes();
      assertTrue(bytes > 10 << 20, "peakBytes=" + bytes);
      assertTrue(two.peakBytes() > 1.5 * bytes, "peakBytes=" + two.peakBytes());
    }
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
