package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.internal.life.ExitHook;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The workers that are to be killed when this process exits. */
final class LiveWorkers {
  private static final Set<Teardown> LIVE = ConcurrentHashMap.newKeySet();

  static {
    ExitHook.atExit("end the workers", () -> LIVE.forEach(Teardown::atExit));
  }

  private LiveWorkers() {}

  static void add(Teardown teardown) {
    var _ = LIVE.add(teardown);
  }

  static void remove(Teardown teardown) {
    var _ = LIVE.remove(teardown);
  }
}
