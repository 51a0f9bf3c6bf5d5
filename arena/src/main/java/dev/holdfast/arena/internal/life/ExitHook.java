package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The one shutdown hook of the process. Its steps run in the order opposite to their registration,
 * each whether or not another failed or stands still; it ends no scope and unmaps nothing. A step
 * that stands still is left after some seconds, so an exit takes as many times that as there are
 * steps at most.
 */
public final class ExitHook {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final Duration LONGEST_STEP = Duration.ofSeconds(3);
  private static final List<Step> STEPS = new ArrayList<>();
  private static boolean installed;

  /** A step that was added, and stays. */
  public static final class Step {
    private final String what;
    private final Runnable action;

    private Step(String what, Runnable action) {
      this.what = what;
      this.action = action;
    }
  }

  private ExitHook() {}

  /**
   * Adds a step.
   *
   * @param what its name in the log
   * @param action must end soon, and is not waited for longer than some seconds
   * @return the step; who adds one once keeps it in a {@link Once}, so that a lack of heap is made
   *     up for by the next try
   */
  public static Step atExit(String what, Runnable action) {
    Step step = new Step(what, action);
    synchronized (STEPS) {
      if (!installed) {
        try {
          Runtime.getRuntime().addShutdownHook(new Thread(ExitHook::run, "holdfast-exit"));
        } catch (IllegalStateException e) {
          LOG.log(Logger.Level.DEBUG, "the process is exiting already", e);
        }
        installed = true;
      }
      STEPS.add(step);
    }
    return step;
  }

  private static void run() {
    List<Step> steps;
    synchronized (STEPS) {
      steps = List.copyOf(STEPS).reversed();
    }
    steps.forEach(ExitHook::runWithin);
  }

  /** A step can be stuck in a driver or behind a lock, and the process must end all the same. */
  private static void runWithin(Step step) {
    Thread thread;
    try {
      thread = Thread.ofPlatform().daemon().name("holdfast-exit-step").start(() -> runLogged(step));
    } catch (OutOfMemoryError e) {
      runLogged(step); // without a thread for it nobody can look at the time
      return;
    }
    try {
      if (!thread.join(LONGEST_STEP)) {
        LOG.log(Logger.Level.WARNING, "at exit, this takes too long and is left: " + step.what);
      }
    } catch (InterruptedException e) {
      LOG.log(Logger.Level.WARNING, "at exit, this is not waited for: " + step.what, e);
    }
  }

  private static void runLogged(Step step) {
    try {
      step.action.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.WARNING, "at exit, this failed: " + step.what, e);
    }
  }
}
