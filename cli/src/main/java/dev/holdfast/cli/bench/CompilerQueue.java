package dev.holdfast.cli.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Waits for the just-in-time compiler. What it has not finished when busy threads take the
 * processors stays slow code for the rest of the cell.
 */
final class CompilerQueue {
  private static final long STEP_MILLIS = 200;
  private static final int STEPS_AT_MOST = 10;

  /** How long anybody waits. */
  static final long LONGEST_MILLIS = STEPS_AT_MOST * STEP_MILLIS;

  private static final int QUIET_STEPS = 2;

  private CompilerQueue() {}

  /** Returns when nothing was compiled for a while, or after {@link #LONGEST_MILLIS}. */
  static void awaitQuiet() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
      return;
    }
    int quiet = 0;
    long before = compiler.getTotalCompilationTime();
    for (int step = 0; step < STEPS_AT_MOST && quiet < QUIET_STEPS; step++) {
      Pause.millis(STEP_MILLIS);
      long now = compiler.getTotalCompilationTime();
      quiet = now == before ? quiet + 1 : 0;
      before = now;
    }
  }
}
