package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.internal.life.Endless;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.arena.internal.os.Processes;

/**
 * Ends this process when its parent has gone, whatever user code does. The kernel's signal at the
 * parent's death covers a JVM that stands at a safepoint; this thread covers a kernel that refuses
 * it, and a parent that had gone before the signal was asked for. A look that fails, as in a full
 * heap, is made again; a heap that stays full for good may fail them all.
 */
final class ParentWatch {
  private static final int PAUSE_MILLIS = 500;

  private ParentWatch() {}

  static void start(ProcessIdentity parent) {
    Processes.Watch watch = new Processes.Watch(parent);
    if (!watch.lives()) {
      watch.endSelf();
    }
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-parent-watch")
            .start(Endless.of(() -> look(watch)));
  }

  /** An error, as from a full heap, is no sign of a death: it looks again. */
  private static void look(Processes.Watch watch) {
    pause();
    if (!watch.lives()) {
      watch.endSelf();
    }
  }

  /** Not inside poll(2): a JVM that exits waits 300 ms for threads that are in native code. */
  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      // user code can find and interrupt this thread; it only looks earlier then
      Thread.onSpinWait();
    }
  }
}
