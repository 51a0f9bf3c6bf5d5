package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where storage goes whose end is uncertain. What lies here is strongly reachable, so that it stays
 * mapped, registered and named until a retry succeeds: at each close, by a daemon with growing
 * pauses, and at exit.
 */
public final class Quarantine {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;
  private static final List<Retained> ITEMS = new CopyOnWriteArrayList<>();
  private static final AtomicBoolean STARTED = new AtomicBoolean();
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-quarantine")
                  .start(Quarantine::retryForEver));
  private static final ThreadLocal<Boolean> RETRYING = ThreadLocal.withInitial(() -> false);

  /** Something that could not be ended with certainty. */
  public interface Retained {
    /** Returns what is kept. */
    String what();

    /** Returns why. */
    String why();

    /**
     * Tries to end it; returns true when it has ended, now or before. May be called by any thread.
     */
    boolean retry();
  }

  private Quarantine() {}

  /** Keeps an item until it has ended. */
  public static void add(Retained item) {
    ITEMS.add(item);
    LOG.log(Logger.Level.WARNING, () -> "kept for a retry: " + item.what() + ": " + item.why());
    if (STARTED.compareAndSet(false, true)) {
      ExitHook.atExit("retry the quarantine", Quarantine::retry);
    }
    try {
      var _ = THREAD.get();
    } catch (OutOfMemoryError e) {
      LOG.log(Logger.Level.WARNING, "no thread for retries, so only a close and the exit try", e);
    }
  }

  /** Returns how many items are kept. */
  public static long size() {
    return ITEMS.size();
  }

  /** Returns what is kept and why, a line each. */
  public static List<String> describe() {
    return ITEMS.stream().map(item -> item.what() + ": " + item.why()).toList();
  }

  /** Tries all items again. A retry that asks for this in its turn does nothing there. */
  public static void retry() {
    if (RETRYING.get()) {
      return;
    }
    RETRYING.set(true);
    try {
      retryEach();
    } finally {
      RETRYING.remove();
    }
  }

  private static void retryEach() {
    for (Retained item : List.copyOf(ITEMS)) { // a retry may add to the list
      try {
        if (item.retry()) {
          ITEMS.removeIf(kept -> isSame(kept, item));
        }
      } catch (RuntimeException | Error e) {
        LOG.log(Logger.Level.WARNING, () -> "a retry failed: " + item.what(), e);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // an item is itself, whatever it says of its equals
  private static boolean isSame(Retained one, Retained other) {
    return one == other;
  }

  private static void retryForEver() {
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        return; // nobody but a debugger interrupts it
      }
      try {
        retry();
      } catch (RuntimeException | Error e) {
        LOG.log(Logger.Level.WARNING, "a round of retries failed", e);
      }
      pause = ITEMS.isEmpty() ? FIRST_PAUSE_MILLIS : Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
    }
  }
}
