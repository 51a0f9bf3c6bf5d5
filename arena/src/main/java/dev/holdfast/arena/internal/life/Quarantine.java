package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Where storage goes whose end is uncertain. What lies here is strongly reachable, so that it stays
 * mapped, registered and named until a retry succeeds: at each close, by a daemon with growing
 * pauses, and at exit.
 *
 * <p>Items carry their own link, so that keeping one allocates nothing: what brings it here may be
 * that there was no heap.
 */
public final class Quarantine {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;
  private static final Object LOCK = new Object();
  private static final Once<ExitHook.Step> EXIT_STEP =
      new Once<>(() -> ExitHook.atExit("retry the quarantine", Quarantine::retry));
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-quarantine")
                  .start(Endless.of(Quarantine::retryLater)));
  private static final AtomicBoolean STARTING = new AtomicBoolean();
  private static final Closer.Task START_LATER =
      new Closer.Task() {
        @Override
        protected boolean run() {
          var _ = THREAD.get();
          STARTING.set(false);
          return true;
        }
      };
  private static final ThreadLocal<Boolean> RETRYING = ThreadLocal.withInitial(() -> false);

  private static long pauseMillis = FIRST_PAUSE_MILLIS; // the daemon's

  private static @Nullable Retained first; // this and the following guarded by the lock
  private static @Nullable Retained last;
  private static long size;

  /** Something that could not be ended with certainty. */
  public abstract static class Retained {
    private @Nullable Retained following; // this and the next one guarded by the lock
    private boolean kept;

    /** For subclasses. */
    protected Retained() {}

    /** Returns what is kept. */
    public abstract String what();

    /** Returns why. */
    public abstract String why();

    /**
     * Tries to end it; returns true when it has ended, now or before. May be called by any thread.
     */
    public abstract boolean retry();
  }

  private Quarantine() {}

  /** Makes sure that it works later, whatever lacks then. */
  public static void prepare() {
    var _ = EXIT_STEP.get();
  }

  /** Keeps an item until it has ended. Allocates nothing before it is kept, and does not fail. */
  public static void add(Retained item) {
    if (!keep(item)) {
      return;
    }
    try {
      LOG.log(Logger.Level.WARNING, () -> "kept for a retry: " + item.what() + ": " + item.why());
    } catch (RuntimeException | Error e) {
      Thread.onSpinWait(); // there is no heap for the text
    }
    try {
      prepare();
      var _ = THREAD.get();
    } catch (RuntimeException | Error e) {
      if (STARTING.compareAndSet(false, true)) {
        Closer.submit(START_LATER); // which tries until one can be had
      }
    }
  }

  private static boolean keep(Retained item) {
    synchronized (LOCK) {
      if (item.kept) {
        return false;
      }
      item.kept = true;
      item.following = null;
      if (last == null) {
        first = item;
      } else {
        last.following = item;
      }
      last = item;
      size++;
      return true;
    }
  }

  private static void remove(Retained ended) {
    synchronized (LOCK) {
      Retained before = null;
      for (Retained item = first; item != null; item = item.following) {
        if (isSame(item, ended)) {
          item.kept = false;
          size--;
          if (before == null) {
            first = item.following;
          } else {
            before.following = item.following;
          }
          if (item.following == null) {
            last = before;
          }
          return;
        }
        before = item;
      }
    }
  }

  private static @Nullable Retained oldest() {
    synchronized (LOCK) {
      return first;
    }
  }

  /** What has been taken out meanwhile leads on to what was behind it then. */
  private static @Nullable Retained after(Retained item) {
    synchronized (LOCK) {
      return item.following;
    }
  }

  /** Returns how many items are kept. */
  public static long size() {
    synchronized (LOCK) {
      return size;
    }
  }

  /** Returns what is kept and why, a line each. */
  public static List<String> describe() {
    List<Retained> items = new ArrayList<>();
    synchronized (LOCK) {
      for (Retained item = first; item != null; item = item.following) {
        items.add(item);
      }
    }
    return items.stream().map(item -> item.what() + ": " + item.why()).toList();
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
    Retained item = oldest();
    for (long left = size(); item != null && left > 0; left--) { // a retry may add to the list
      Retained following = after(item);
      try {
        if (item.retry()) {
          following = after(item);
          remove(item);
        }
      } catch (RuntimeException | Error e) {
        LOG.log(Logger.Level.WARNING, "a retry failed", e);
      }
      item = following;
    }
  }

  @SuppressWarnings("ReferenceEquality") // an item is itself, whatever it says of its equals
  private static boolean isSame(Retained one, Retained other) {
    return one == other;
  }

  private static void retryLater() {
    try {
      Thread.sleep(pauseMillis);
    } catch (InterruptedException e) {
      Thread.onSpinWait(); // user code can find and interrupt this thread
    }
    try {
      retry();
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.WARNING, "a round of retries failed", e);
    } finally {
      pauseMillis =
          size() == 0 ? FIRST_PAUSE_MILLIS : Math.min(pauseMillis * 2, LONGEST_PAUSE_MILLIS);
    }
  }
}
