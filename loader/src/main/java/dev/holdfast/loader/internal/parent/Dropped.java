package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import java.lang.System.Logger;
import java.lang.ref.Cleaner;

/**
 * Closes workers whose handle was dropped without a close, on a thread of its own since that may
 * wait.
 */
final class Dropped {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final Once<Cleaner> CLEANER =
      new Once<>(
          () -> Cleaner.create(Thread.ofPlatform().daemon().name("holdfast-dropped").factory()));

  private Dropped() {}

  static Cleaner.Cleanable watch(Object handle, Teardown teardown) {
    return CLEANER.get().register(handle, () -> found(teardown));
  }

  private static void found(Teardown teardown) {
    if (teardown.hasBegun()) {
      return;
    }
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-dropped-worker")
            .start(
                () -> {
                  LOG.log(
                      Logger.Level.WARNING,
                      "a SubprocessIterable was dropped without a close; its worker is ended now");
                  try {
                    teardown.close();
                  } catch (RuntimeException e) {
                    LOG.log(Logger.Level.WARNING, "the dropped worker could not be ended", e);
                  }
                });
  }
}
