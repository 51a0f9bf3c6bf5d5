package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.internal.failure.ThrowableText;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The thread that iterates over the source, one pass after the other. */
final class SourceThread {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");

  private final Iterable<?> source;
  private final boolean continuous;
  private final CellQueue out;
  private final Epochs epochs;
  private final StageFigures figures = new StageFigures("source", 1, 1);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final Thread thread;

  // guarded by the lock
  private long requested;
  private long running;
  private boolean closed;

  SourceThread(Plan plan, CellQueue out, Epochs epochs) {
    this.source =
        plan.source() instanceof SubprocessIterable<?> worker ? worker.parcels() : plan.source();
    this.continuous = plan.continuous();
    this.out = out;
    this.epochs = epochs;
    this.thread =
        Thread.ofPlatform().daemon().name("holdfast-pipeline-source").unstarted(this::run);
  }

  StageFigures figures() {
    return figures;
  }

  void start() {
    thread.start();
  }

  /** Asks for all passes up to a number. */
  void request(long epoch) {
    lock.lock();
    try {
      requested = Math.max(requested, epoch);
      asked.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Has a source that waits within a pass that was left give up. */
  void cancelled() {
    lock.lock();
    try {
      if (running != 0 && epochs.isCancelled(running)) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  void stop() {
    lock.lock();
    try {
      closed = true;
      asked.signalAll();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
  }

  boolean awaitEnd(long nanos) throws InterruptedException {
    return thread.getState() == Thread.State.NEW
        || thread.join(Duration.ofNanos(Math.max(1, nanos)));
  }

  private void run() {
    try {
      for (long epoch = 1; ; epoch++) {
        begin(epoch);
        pass(epoch);
        end();
        out.put(new Cell.End(epoch));
      }
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a source has ended");
    }
  }

  private void begin(long epoch) {
    lock.lock();
    try {
      while (!closed && !(continuous ? requested > 0 : requested >= epoch)) {
        asked.awaitUninterruptibly();
      }
      if (closed) {
        throw new Stopped();
      }
      running = epoch;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      running = 0;
      // a late call to leave this pass is no business of the next one
      var _ = Thread.interrupted();
    } finally {
      lock.unlock();
    }
  }

  private void pass(long epoch) {
    @Nullable Iterator<?> iterator = null;
    long index = 0;
    try {
      iterator = source.iterator();
      while (!epochs.isCancelled(epoch)) {
        long start = System.nanoTime();
        if (!iterator.hasNext()) {
          return;
        }
        @Nullable Object item = iterator.next();
        figures.worked(System.nanoTime() - start);
        out.put(new Cell.Item(epoch, index++, content(item), List.of()));
      }
    } catch (Stopped e) {
      throw e;
    } catch (Throwable e) {
      if (!epochs.isCancelled(epoch)) {
        out.put(new Cell.Failed(epoch, failure(e, index)));
      }
    } finally {
      close(iterator);
    }
  }

  @SuppressWarnings("unchecked") // a parcel's item is what it is
  private Content content(@Nullable Object item) {
    return item instanceof Parcel<?> parcel
        ? new Content.Unopened((Parcel<@Nullable Object>) parcel)
        : new Content.Value(item);
  }

  private RuntimeException failure(Throwable thrown, long index) {
    figures.failed();
    return new StageFailedException(
        FailureDetail.of("the source failed")
            .with("stage", "source")
            .with("index", index)
            .with("reason", ThrowableText.line(thrown))
            .advise("the next pass begins anew"),
        thrown);
  }

  private static void close(@Nullable Iterator<?> iterator) {
    if (iterator instanceof AutoCloseable resource) {
      try {
        resource.close();
      } catch (Throwable e) {
        LOG.log(
            Logger.Level.WARNING,
            "an iterator of the source could not be closed: {0}",
            ThrowableText.line(e));
      }
    }
  }
}
