package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.ProcessUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures one cell in this process, which does nothing else. */
final class CellRun {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final CellSpec cell;
  private boolean verified = true;

  CellRun(CellSpec cell) {
    this.cell = cell;
  }

  CellResult run() throws Exception {
    Transport transport = Transports.named(cell.transport());
    try (Session session = transport.open(cell)) {
      pass(session, cell.plan(CellSpec.WARM_UP));
      pass(session, cell.plan(CellSpec.REHEARSAL));
      CompilerQueue.awaitQuiet();
      return switch (cell.measure()) {
        case THROUGHPUT -> throughput(session);
        case WAIT -> waiting(session);
      };
    }
  }

  private void pass(Session session, PassPlan plan) throws Exception {
    ItemCheck check = new ItemCheck(cell, plan);
    session.pass(plan, check);
    verified &= check.passed();
  }

  private CellResult throughput(Session session) throws Exception {
    List<Double> rates = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    ConsumerClock clock = new ConsumerClock();
    try (BusyThreads _ = new BusyThreads(cell.busyThreads()).start()) {
      for (int timed = 0; timed < cell.passes(); timed++) {
        PassPlan plan = cell.plan(CellSpec.FIRST_TIMED + timed);
        clock.start();
        long start = System.nanoTime();
        pass(session, plan);
        double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
        micros.add(clock.nanosSinceStart() / NANOS_PER_MICRO / plan.items());
        rates.add(plan.items() / seconds);
      }
    }
    return new CellResult(cell, rates, micros, verified, 0, 0);
  }

  private CellResult waiting(Session session) throws Exception {
    double consumer = consumerWaits(session);
    double producer = producerWaits(session);
    return new CellResult(cell, List.of(), List.of(), verified, consumer, producer);
  }

  /** The producer sleeps before its first item; this whole process is looked at meanwhile. */
  private double consumerWaits(Session session) throws Exception {
    try (ExecutorService consumer = Executors.newSingleThreadExecutor()) {
      Future<?> done =
          consumer.submit(
              () -> {
                pass(session, cell.plan(CellSpec.CONSUMER_WAITS));
                return null;
              });
      double percent = corePercent(ProcessHandle.current().pid());
      done.get();
      return percent;
    }
  }

  /** The consumer sits on its first item until the producer has filled what there is and waits. */
  private double producerWaits(Session session) throws Exception {
    PassPlan plan = cell.plan(CellSpec.PRODUCER_WAITS);
    ItemCheck check = new ItemCheck(cell, plan);
    long producer = session.producerPid().orElseThrow();
    double[] percent = {-1};
    session.pass(
        plan,
        item -> {
          if (percent[0] < 0) {
            percent[0] = corePercent(producer);
          }
          check.accept(item);
        });
    verified &= check.passed();
    return percent[0];
  }

  private static double corePercent(long pid) {
    Pause.millis(CellSpec.SETTLE_MILLIS);
    double before = ProcessUsage.cpuSeconds(pid);
    Pause.millis(CellSpec.WAIT_MILLIS);
    double used = ProcessUsage.cpuSeconds(pid) - before;
    return 100 * used / (CellSpec.WAIT_MILLIS / MILLIS_PER_SECOND);
  }
}
