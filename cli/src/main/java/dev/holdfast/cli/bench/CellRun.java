package dev.holdfast.cli.bench;

import java.util.function.LongSupplier;

/** Measures one cell in this process, which does nothing else. */
final class CellRun {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  /** What a cell may take without the start of its process. */
  private static final double LONGEST_SECONDS = 9.5;

  private static final double REHEARSAL_SECONDS = 4;
  private static final double COMPILER_SECONDS = CompilerQueue.LONGEST_MILLIS / MILLIS_PER_SECOND;
  private static final double SECONDS_BEHIND_TIMED_PASSES = 2;

  /** What the usual passes take at their shortest, and what follows them. */
  private static final double SECONDS_BEHIND_REHEARSAL = 0.5 + SECONDS_BEHIND_TIMED_PASSES;

  private static final double ROUND_TRIPS_ALONE_SECONDS = 3;
  private static final double PASS_SECONDS = 0.35;
  private static final double SHORTEST_PASS_SECONDS = 0.05;

  /** Above this a longer pass would say the same. */
  private static final int MOST_ITEMS = 500_000;

  private static final int FEWEST_ITEMS = 4;

  private final CellSpec spec;
  private final Transport transport;
  private final LongSupplier clock;
  private final Runnable compiler;
  private final long begin;

  CellRun(CellSpec spec) {
    this(spec, Transports.named(spec.transport()), System::nanoTime, CompilerQueue::awaitQuiet);
  }

  /**
   * Makes the run of a cell whose time somebody else counts.
   *
   * @param clock tells nanoseconds, as {@link System#nanoTime} does
   * @param compiler waits for the compiler
   */
  CellRun(CellSpec spec, Transport transport, LongSupplier clock, Runnable compiler) {
    this.spec = spec;
    this.transport = transport;
    this.clock = clock;
    this.compiler = compiler;
    begin = clock.getAsLong();
  }

  CellResult run() throws Exception {
    try (PassBoard board = new PassBoard()) {
      CellSpec cell = spec.withLength(board.length());
      try (Session session = transport.open(cell)) {
        CellPasses passes = new CellPasses(cell, session, clock);
        passes.run(passes.plan());
        Rehearsal rehearsal = new Rehearsal(passes, board::announce, rehearsalSeconds());
        rehearsal.run();
        if (cell.busyThreads() > 0) {
          board.announce(cell.items());
          try (BusyThreads _ = new BusyThreads(cell.busyThreads()).start()) {
            passes.run(passes.plan());
          }
          rehearsal.again();
        }
        compiler.run();
        return switch (cell.measure()) {
          case THROUGHPUT -> {
            int items = cell.items() > 0 ? cell.items() : fittingItems(rehearsal.itemsPerSecond());
            board.announce(items);
            yield new ThroughputRun(passes, transport.ownThreads()).run(items);
          }
          case WAIT -> new WaitRun(passes).run();
          case LATENCY -> new LatencyRun(passes).run();
        };
      }
    }
  }

  /** The rehearsal gives way where the warm-up took long. */
  private double rehearsalSeconds() {
    double behind =
        spec.measure() == CellSpec.Measure.LATENCY
            ? ROUND_TRIPS_ALONE_SECONDS
            : SECONDS_BEHIND_REHEARSAL;
    return Math.clamp(secondsLeft() - COMPILER_SECONDS - behind, 0, REHEARSAL_SECONDS);
  }

  private int fittingItems(double itemsPerSecond) {
    double left = secondsLeft() - SECONDS_BEHIND_TIMED_PASSES;
    double seconds = Math.clamp(left / (spec.passes() + 1), SHORTEST_PASS_SECONDS, PASS_SECONDS);
    return Math.clamp(Math.round(itemsPerSecond * seconds), FEWEST_ITEMS, MOST_ITEMS);
  }

  private double secondsLeft() {
    return LONGEST_SECONDS - (clock.getAsLong() - begin) / NANOS_PER_SECOND;
  }
}
