package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.Steps;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The workers that are to be killed when this process exits. */
final class LiveWorkers {
  private static final Set<Teardown> LIVE = ConcurrentHashMap.newKeySet();

  private static final Once<ExitHook.Step> EXIT_STEP =
      new Once<>(() -> ExitHook.atExit("end the workers", LiveWorkers::end));

  private LiveWorkers() {}

  /** All hosts are asked before the first is waited for. */
  private static void end() {
    Steps steps = new Steps();
    LIVE.forEach(teardown -> steps.run(teardown::askAtExit));
    LIVE.forEach(teardown -> steps.run(teardown::atExit));
    steps.end();
  }

  static void add(Teardown teardown) {
    var _ = EXIT_STEP.get();
    var _ = LIVE.add(teardown);
  }

  static void remove(Teardown teardown) {
    var _ = LIVE.remove(teardown);
  }
}
