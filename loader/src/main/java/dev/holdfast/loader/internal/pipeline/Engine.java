package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.IterationStoppedException;
import dev.holdfast.loader.internal.region.Regions;
import dev.holdfast.loader.pipeline.PipelineStats;
import dev.holdfast.loader.pipeline.StageStats;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A running pipeline. Knows nothing of the public handle over it, so that a dropped handle can be
 * found by the collector.
 *
 * <p>Cells carry the number of their pass. Whoever begins a pass cancels the one before: its items
 * leave all queues, sources and workers stop making them, and only its end mark still goes through,
 * behind which the new pass begins.
 */
public final class Engine implements RegionHost {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final BooleanSupplier left;
  private final FailureBook book;
  private final Epochs epochs = new Epochs();
  private final Stages stages;
  private final SourceThread source;
  private final CellQueue last;
  private final List<Link> links = new ArrayList<>();
  private final List<RegionStage> regions = new ArrayList<>();
  private final List<Object> rows = new ArrayList<>();
  private final LongAdder delivered = new LongAdder();
  private final ReentrantLock consuming = new ReentrantLock();
  private final ReentrantLock closingLock = new ReentrantLock();

  private volatile @Nullable Pass current;
  private volatile long newest;
  private volatile long lastingEpoch;
  private volatile boolean closing;
  private volatile @Nullable RuntimeException lasting;
  private volatile @Nullable RuntimeException complaint;
  private boolean ended; // guarded by the closing lock

  private record Link(RegionStage stage, Inlet in, CellQueue out) {}

  private Engine(Plan plan, boolean ownsArenas, BooleanSupplier left) {
    this.left = left;
    this.book = new FailureBook(plan.failures(), epochs);
    this.stages = new Stages(epochs, book, this::broken);
    CellQueue in = stages.queueBefore(plan.steps(), 0);
    this.source = new SourceThread(plan, in, epochs);
    rows.add(source.figures());
    StageContext context = new StageContext(0, 1, 0, () -> closing);
    List<Step> steps = plan.steps();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (step instanceof Step.Buffer) {
        continue; // it is the queue in front of it
      }
      CellQueue out = stages.queueBefore(steps, i + 1);
      if (step instanceof Step.Region region) {
        RegionStage stage =
            Regions.make(region, steps.subList(i + 1, steps.size()), epochs, this, ownsArenas);
        regions.add(stage);
        rows.add(stage);
        links.add(new Link(stage, in, out));
      } else {
        StageFigures figures = stages.figures(step, in);
        rows.add(figures);
        stages.add(step, false, context, in, out, figures);
      }
      in = out;
    }
    this.last = in;
  }

  /**
   * Starts a pipeline: workers first, then threads.
   *
   * @param plan the pipeline
   * @param ownsArenas whether it closes and unlinks the arenas of its regions
   * @param left whether whoever the results are for has left the pass
   */
  static Engine start(Plan plan, boolean ownsArenas, BooleanSupplier left) {
    Engine engine = new Engine(plan, ownsArenas, left);
    boolean started = false;
    try {
      engine.regions.forEach(RegionStage::startWorkers);
      engine.links.forEach(link -> link.stage.start(link.in, link.out));
      engine.stages.start();
      engine.source.start();
      started = true;
      return engine;
    } finally {
      if (!started) {
        engine.closeQuietly();
      }
    }
  }

  private void closeQuietly() {
    try {
      close();
    } catch (RuntimeException e) {
      LOG.log(Logger.Level.WARNING, "a pipeline that did not start could not be ended", e);
    }
  }

  /** One pass, as its consumer sees it; guarded by the consumer's lock. */
  static final class Pass {
    private final long epoch;
    private boolean over;
    private @Nullable Next peeked;

    Pass(long epoch) {
      this.epoch = epoch;
    }
  }

  ReentrantLock consuming() {
    return consuming;
  }

  /** Begins a pass, which supersedes the one before. */
  Pass newPass() {
    requireOpen();
    Pass before;
    Pass pass;
    closingLock.lock();
    try {
      requireOpen();
      before = current;
      pass = new Pass(newest + 1);
      newest = pass.epoch;
      current = pass;
      if (before != null) {
        cancel(before.epoch);
      }
      source.request(pass.epoch);
    } finally {
      closingLock.unlock();
    }
    giveBackLookedAt(before);
    return pass;
  }

  /** An item that was looked at and not taken goes back, when its pass is over. */
  private void giveBackLookedAt(@Nullable Pass pass) {
    if (pass != null) {
      consuming.lock();
      try {
        dropPeeked(pass);
      } finally {
        consuming.unlock();
      }
    }
  }

  private void requireOpen() {
    if (closing) {
      throw closed();
    }
  }

  private static ArenaClosedException closed() {
    return new ArenaClosedException(
        FailureDetail.of("the pipeline was closed").advise("build it again"));
  }

  private void cancel(long epoch) {
    stages.cancelUpTo(epoch);
    source.cancelled();
    regions.forEach(RegionStage::cancelled);
  }

  /** Returns what comes next in a pass, without taking it. May wait. The caller has the lock. */
  Next nextOf(Pass pass) {
    if (closing || pass.epoch != newest) {
      dropPeeked(pass);
    }
    Next next = pass.peeked;
    if (next == null) {
      next = await(pass);
      pass.peeked = next;
    }
    return next;
  }

  /** Takes what was looked at. */
  void taken(Pass pass, Next next) {
    pass.peeked = null;
    if (next instanceof Next.Item) {
      delivered.increment();
    }
  }

  private static void dropPeeked(Pass pass) {
    Next peeked = pass.peeked;
    pass.peeked = null;
    if (peeked instanceof Next.Item(var content)) {
      content.discard();
    }
  }

  private Next await(Pass pass) {
    try {
      while (true) {
        if (closing) {
          return new Next.Lasting(closed());
        }
        if (pass.epoch != newest) {
          return new Next.Lasting(
              new IllegalStateException(
                  "a newer iterator has superseded this one; take one pass at a time"));
        }
        if (pass.over) {
          return new Next.End();
        }
        Cell cell = last.take(SLICE_NANOS);
        if (cell == null) {
          RuntimeException due = complaint;
          if (due != null) {
            complaint = null;
            return new Next.Failure(due);
          }
          if (left.getAsBoolean()) {
            return new Next.Failure(
                new IterationStoppedException(
                    FailureDetail.of("the consumer has left the iteration")));
          }
          RuntimeException known = lasting;
          if (known != null && pass.epoch > lastingEpoch) {
            return new Next.Lasting(known);
          }
          continue;
        }
        complaint = null;
        if (cell.epoch() != pass.epoch) {
          CellQueue.drop(cell);
          continue;
        }
        switch (cell) {
          case Cell.Item item -> {
            return new Next.Item(item.content());
          }
          case Cell.End _ -> {
            if (pass.epoch == newest) {
              pass.over = true;
              return new Next.End();
            }
            // it ended because it was left
          }
          case Cell.Failed(_, var failure) -> {
            return failed(pass, failure);
          }
          case Cell.Dropped _ -> {
            // nobody counts answers here
          }
        }
      }
    } catch (Stopped e) {
      return new Next.Lasting(closed());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoldfastInterruptedException(
          FailureDetail.of("interrupted while waiting for a result"), e);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the very failure
  private Next failed(Pass pass, RuntimeException failure) {
    pass.over = failure != lasting;
    if (pass.over) {
      closingLock.lock();
      try {
        if (!closing) {
          cancel(pass.epoch);
        }
      } finally {
        closingLock.unlock();
      }
      return new Next.Failure(failure);
    }
    lastingEpoch = 0;
    return new Next.Lasting(failure);
  }

  @Override
  public List<Cell> settle(Cell.Item item, Trouble trouble) {
    return book.settle(item, trouble);
  }

  @Override
  public Cell fatal(long epoch, RuntimeException failure) {
    synchronized (epochs) {
      RuntimeException first = lasting;
      if (first == null) {
        lastingEpoch = epoch;
        lasting = failure;
        first = failure;
      }
      return new Cell.Failed(epoch, first);
    }
  }

  @Override
  public void complain(RuntimeException problem) {
    if (last.isAwaited()) {
      complaint = problem;
    }
  }

  private void broken(Throwable thrown) {
    if (!closing) {
      LOG.log(Logger.Level.ERROR, "a thread of a pipeline failed", thrown);
      var _ = fatal(0, new IllegalStateException("a thread of the pipeline failed", thrown));
    }
  }

  /** Returns the figures of all stages. */
  PipelineStats stats() {
    List<StageStats> all = new ArrayList<>();
    for (Object row : rows) {
      if (row instanceof StageFigures figures) {
        all.add(figures.snapshot().stats());
      } else if (row instanceof RegionStage region) {
        region.figures().forEach(snapshot -> all.add(snapshot.stats()));
      }
    }
    return new PipelineStats(
        all,
        delivered.sum(),
        book.total(),
        book.kept(),
        regions.stream().mapToLong(RegionStage::restarts).sum());
  }

  /** Returns whether somebody has begun to close. */
  boolean hasBegunToClose() {
    return closing;
  }

  /** Ends everything. Each step runs whether or not another failed. */
  void close() {
    closing = true;
    Steps steps = new Steps();
    steps.run(() -> stages.cancelUpTo(Long.MAX_VALUE));
    regions.forEach(region -> steps.run(region::beginClosing));
    steps.run(stages::stop);
    steps.run(source::stop);
    // not under the closing lock, which a consumer may want for its error
    steps.run(() -> giveBackLookedAt(current));
    closingLock.lock();
    try {
      if (ended) {
        steps.end();
        return;
      }
      regions.forEach(region -> steps.run(region::close));
      steps.run(this::awaitThreads);
      ended = steps.succeeded();
      steps.end();
    } finally {
      closingLock.unlock();
    }
  }

  private void awaitThreads() {
    boolean interrupted = Thread.interrupted();
    try {
      if (!stages.awaitEnd(END_NANOS) || !source.awaitEnd(END_NANOS)) {
        LOG.log(
            Logger.Level.WARNING,
            "a stage function or source goes on after its pipeline was closed");
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
