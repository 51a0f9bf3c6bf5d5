package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A daemon that does what may take long or be refused: ending SHARED scopes and unmapping.
 *
 * <p>Tasks carry their own link, so that handing one over allocates nothing and takes no lock (a
 * Treiber stack that the daemon takes as a whole). A task that is refused is tried again with
 * growing pauses and delays no other; after 10 seconds it is reported once, and kept for ever if
 * need be: leaking is preferred to corrupting.
 */
public final class Closer {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long REPORT_AFTER_NANOS = 10_000_000_000L;
  private static final long FIRST_PAUSE_NANOS = 1_000_000L;
  private static final long LONGEST_PAUSE_NANOS = 100_000_000L;
  private static final AtomicReference<@Nullable Task> HANDED_OVER = new AtomicReference<>();
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-closer")
                  .start(Endless.of(Closer::round)));

  private static @Nullable Task refused; // the daemon's

  /**
   * Something to do once, on the closer's thread. Never handed over while it waits there; when it
   * has run it may be handed over again.
   */
  public abstract static class Task {
    private @Nullable Task next;
    private long firstTry;
    private long pause = FIRST_PAUSE_NANOS;
    private long nextTry;
    private boolean reported;

    /** For subclasses. */
    protected Task() {}

    /** Tries it; returns false when it was refused and is to be tried again. */
    protected abstract boolean run();

    /** Returns after how long a time of refusals it is reported. */
    long reportAfterNanos() {
      return REPORT_AFTER_NANOS;
    }
  }

  private Closer() {}

  /** Starts the daemon, so that later calls need no class initialization and no thread. */
  public static void start() {
    LockSupport.unpark(THREAD.get());
  }

  /** Hands a task over. */
  public static void submit(Task task) {
    Task top;
    do {
      top = HANDED_OVER.get();
      task.next = top;
    } while (!HANDED_OVER.compareAndSet(top, task));
    LockSupport.unpark(THREAD.get());
  }

  /** The daemon's own lists use the tasks' links too: no lack of heap loses a task or ends it. */
  private static void round() {
    refused = attemptEach(joined(refused, inOrder(HANDED_OVER.getAndSet(null))));
    if (HANDED_OVER.get() == null) {
      pause(refused);
    }
  }

  private static @Nullable Task inOrder(@Nullable Task newest) {
    long now = System.nanoTime();
    Task first = null;
    Task task = newest;
    while (task != null) {
      Task older = task.next;
      task.firstTry = now;
      task.nextTry = now;
      task.next = first;
      first = task;
      task = older;
    }
    return first;
  }

  private static @Nullable Task joined(@Nullable Task first, @Nullable Task more) {
    if (first == null) {
      return more;
    }
    Task last = first;
    while (last.next != null) {
      last = last.next;
    }
    last.next = more;
    return first;
  }

  /** Tries what is due, and returns what is to be tried again. */
  private static @Nullable Task attemptEach(@Nullable Task all) {
    Task first = null;
    Task last = null;
    Task task = all;
    while (task != null) {
      Task following = task.next;
      task.next = null;
      if (System.nanoTime() - task.nextTry < 0 || !attempt(task)) {
        if (last == null) {
          first = task;
        } else {
          last.next = task;
        }
        last = task;
      }
      task = following;
    }
    return first;
  }

  private static void pause(@Nullable Task refused) {
    if (refused == null) {
      LockSupport.park(Closer.class);
      return;
    }
    long now = System.nanoTime();
    long shortest = LONGEST_PAUSE_NANOS;
    for (Task task = refused; task != null; task = task.next) {
      shortest = Math.min(shortest, task.nextTry - now);
    }
    LockSupport.parkNanos(Closer.class, Math.max(1, shortest));
  }

  private static boolean attempt(Task task) {
    try {
      if (task.run()) {
        return true;
      }
    } catch (OutOfMemoryError e) {
      Thread.onSpinWait(); // as if it were refused
    } catch (RuntimeException | Error e) {
      reportFailed(e);
      return true;
    }
    long now = System.nanoTime();
    task.nextTry = now + task.pause;
    task.pause = Math.min(task.pause * 2, LONGEST_PAUSE_NANOS);
    if (!task.reported && now - task.firstTry > task.reportAfterNanos()) {
      task.reported = true;
      reportRefused();
    }
    return false;
  }

  /** Without heap there is not even a text. The tasks must not be lost with it. */
  private static void reportFailed(Throwable failure) {
    try {
      LOG.log(Logger.Level.ERROR, "a closing step failed and is not tried again", failure);
    } catch (RuntimeException | Error e) {
      Thread.onSpinWait();
    }
  }

  private static void reportRefused() {
    try {
      LOG.log(
          Logger.Level.WARNING,
          "a scope cannot be ended for 10 seconds, because a native call or a channel operation"
              + " uses it");
    } catch (RuntimeException | Error e) {
      Thread.onSpinWait();
    }
  }
}
