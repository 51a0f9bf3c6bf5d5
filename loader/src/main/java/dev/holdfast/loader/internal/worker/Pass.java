package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.internal.failure.ThrowableText;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * One iteration over the user's iterable after the other. A pass ends when the source has ended,
 * when the user's code threw, or when another command has come; its last message says whether it
 * was left.
 */
final class Pass {
  private final Iterable<?> iterable;
  private final ItemSender items;

  Pass(Iterable<?> iterable, ItemSender items) {
    this.iterable = iterable;
    this.items = items;
  }

  /** Returns how many units the arena's writer has published, -1 without one. */
  long published() {
    return items.published();
  }

  /** Runs the pass of a number. */
  void run(long number) {
    items.begin(number);
    if (streamAll()) {
      items.finished();
    } else {
      items.left();
    }
  }

  /** Returns false when a command has ended the pass. */
  private boolean streamAll() {
    @Nullable Iterator<?> iterator = null;
    try {
      iterator = open();
      if (iterator != null) {
        stream(iterator);
        if (FaultPoint.ENABLED) {
          FaultPoint.WORKER_AFTER_LAST_ITEM.reach();
        }
      }
      return true;
    } catch (LeavePass e) {
      if (FaultPoint.ENABLED) {
        FaultPoint.WORKER_STOPPING.reach();
      }
      return false;
    } finally {
      items.abandon();
      close(iterator);
    }
  }

  private @Nullable Iterator<?> open() {
    try {
      Iterator<?> iterator = iterable.iterator();
      if (iterator == null) {
        throw new IllegalStateException("the source's iterator is null");
      }
      return iterator;
    } catch (Throwable e) {
      items.sourceFailed(e);
      return null;
    }
  }

  private void stream(Iterator<?> iterator) {
    while (true) {
      items.checkPass();
      if (FaultPoint.ENABLED) {
        FaultPoint.WORKER_BETWEEN_ITEMS.reach();
      }
      @Nullable Object item;
      try {
        if (!iterator.hasNext()) {
          return;
        }
        item = iterator.next();
      } catch (LeavePass | EndWorker e) {
        throw e; // out of a wait for a region's inputs
      } catch (Throwable e) {
        items.sourceFailed(e);
        return;
      }
      items.send(item);
    }
  }

  /**
   * An iterator that holds files may say so by being closeable; its failure comes too late to be an
   * error.
   */
  private static void close(@Nullable Iterator<?> iterator) {
    if (iterator instanceof AutoCloseable resource) {
      try {
        resource.close();
      } catch (Throwable e) {
        Logs.of("dev.holdfast.worker")
            .log(
                System.Logger.Level.WARNING,
                "an iterator of the source could not be closed: {0}",
                ThrowableText.line(e));
      }
    }
  }
}
