package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.arena.internal.os.Processes;

/**
 * Ends this process when its parent has gone, whatever user code does. The kernel's signal at the
 * parent's death covers a JVM that stands at a safepoint; this thread covers a kernel that refuses
 * it, and a parent that had gone before the signal was asked for.
 */
final class ParentWatch {
  private static final int PAUSE_MILLIS = 500;

  private ParentWatch() {}

  static void start(ProcessIdentity parent) {
    int descriptor = open(parent);
    if (!parent.isAlive()) {
      end();
    }
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-parent-watch")
            .start(() -> watch(parent, descriptor));
  }

  /** Returns the parent's pidfd, or -1 where the kernel or a sandbox refuses them. */
  private static int open(ProcessIdentity parent) {
    try {
      return Processes.openPidfd(parent.pid());
    } catch (ErrnoException e) {
      return -1;
    }
  }

  private static void watch(ProcessIdentity parent, int descriptor) {
    while (lives(parent, descriptor)) {
      pause();
    }
    while (true) {
      tryToEnd();
      pause();
    }
  }

  /** User code may have filled the heap; the next look finds some, or finds the parent gone. */
  private static boolean lives(ProcessIdentity parent, int descriptor) {
    try {
      return descriptor >= 0 ? !Processes.pollReadable(descriptor, 0) : parent.isAlive();
    } catch (OutOfMemoryError e) {
      return true;
    }
  }

  private static void tryToEnd() {
    try {
      end();
    } catch (OutOfMemoryError e) {
      Thread.onSpinWait(); // it is tried again
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

  private static void end() {
    var _ = Processes.kill(ProcessIdentity.current().pid(), Processes.SIGKILL);
  }
}
