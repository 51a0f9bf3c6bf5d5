package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.Steps;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The workers that are to be killed when this process exits. */
final class LiveWorkers {
  private static final Set<Teardown> LIVE = ConcurrentHashMap.newKeySet();

  private static final Once<ExitHook.Step> EXIT_STEP =
      new Once<>(() -> ExitHook.atExit("end the workers", LiveWorkers::end));

  private static final long HOST_EXIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

  private LiveWorkers() {}

  /** All hosts are asked, and the other workers ended, before the hosts are waited for together. */
  private static void end() {
    Steps steps = new Steps();
    LIVE.forEach(teardown -> steps.run(teardown::askAtExit));
    long deadline = System.nanoTime() + HOST_EXIT_NANOS;
    endThose(false, deadline, steps);
    endThose(true, deadline, steps);
    steps.end();
  }

  private static void endThose(boolean hosts, long deadline, Steps steps) {
    for (Teardown teardown : LIVE) {
      try {
        if (teardown.isOfHost() == hosts) {
          teardown.atExit(deadline);
        }
      } catch (RuntimeException | Error e) {
        steps.failed(e);
      }
    }
  }

  static void add(Teardown teardown) {
    var _ = EXIT_STEP.get();
    var _ = LIVE.add(teardown);
  }

  static void remove(Teardown teardown) {
    var _ = LIVE.remove(teardown);
  }
}
