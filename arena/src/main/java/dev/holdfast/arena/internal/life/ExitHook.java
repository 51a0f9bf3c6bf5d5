package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;

/**
 * The one shutdown hook of the process. Its steps run in the order opposite to their registration,
 * each whether or not another failed; it ends no scope and unmaps nothing.
 */
public final class ExitHook {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final List<Step> STEPS = new ArrayList<>();
  private static boolean installed;

  private record Step(String what, Runnable action) {}

  private ExitHook() {}

  /**
   * Adds a step.
   *
   * @param what its name in the log
   * @param action must end soon
   */
  public static void atExit(String what, Runnable action) {
    synchronized (STEPS) {
      STEPS.add(new Step(what, action));
      if (!installed) {
        installed = true;
        try {
          Runtime.getRuntime().addShutdownHook(new Thread(ExitHook::run, "holdfast-exit"));
        } catch (IllegalStateException e) {
          LOG.log(Logger.Level.DEBUG, "the process is exiting already", e);
        }
      }
    }
  }

  private static void run() {
    List<Step> steps;
    synchronized (STEPS) {
      steps = List.copyOf(STEPS).reversed();
    }
    for (Step step : steps) {
      try {
        step.action.run();
      } catch (RuntimeException | Error e) {
        LOG.log(Logger.Level.WARNING, "at exit, this failed: " + step.what, e);
      }
    }
  }
}
