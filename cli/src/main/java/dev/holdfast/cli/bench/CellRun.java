package dev.holdfast.cli.bench;

/** Measures one cell in this process, which does nothing else. */
final class CellRun {
  private static final double NANOS_PER_SECOND = 1e9;

  /** What a cell may take without the start of its process. */
  private static final double LONGEST_SECONDS = 9.5;

  private static final double REHEARSAL_SECONDS = 4;
  private static final double SECONDS_BEHIND_TIMED_PASSES = 2;
  private static final double PASS_SECONDS = 0.35;
  private static final double SHORTEST_PASS_SECONDS = 0.05;

  /** Above this a longer pass would say the same. */
  private static final int MOST_ITEMS = 500_000;

  private static final int FEWEST_ITEMS = 4;

  private final CellSpec spec;
  private final long begin = System.nanoTime();

  CellRun(CellSpec spec) {
    this.spec = spec;
  }

  CellResult run() throws Exception {
    Transport transport = Transports.named(spec.transport());
    try (PassBoard board = new PassBoard()) {
      CellSpec cell = spec.withLength(board.length());
      try (Session session = transport.open(cell)) {
        CellPasses passes = new CellPasses(cell, session);
        passes.run(passes.plan());
        Rehearsal rehearsal = new Rehearsal(passes, board::announce, REHEARSAL_SECONDS);
        rehearsal.run();
        if (cell.busyThreads() > 0) {
          board.announce(cell.items());
          try (BusyThreads _ = new BusyThreads(cell.busyThreads()).start()) {
            passes.run(passes.plan());
          }
          rehearsal.again();
        }
        CompilerQueue.awaitQuiet();
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

  private int fittingItems(double itemsPerSecond) {
    double left = LONGEST_SECONDS - secondsSinceBegin() - SECONDS_BEHIND_TIMED_PASSES;
    double seconds = Math.clamp(left / (spec.passes() + 1), SHORTEST_PASS_SECONDS, PASS_SECONDS);
    return Math.clamp(Math.round(itemsPerSecond * seconds), FEWEST_ITEMS, MOST_ITEMS);
  }

  private double secondsSinceBegin() {
    return (System.nanoTime() - begin) / NANOS_PER_SECOND;
  }
}
