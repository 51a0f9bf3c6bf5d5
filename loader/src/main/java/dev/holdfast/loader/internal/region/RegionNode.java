package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import dev.holdfast.loader.internal.pipeline.Epochs;
import dev.holdfast.loader.internal.pipeline.Inlet;
import dev.holdfast.loader.internal.pipeline.PlanChecks;
import dev.holdfast.loader.internal.pipeline.RegionHost;
import dev.holdfast.loader.internal.pipeline.RegionStage;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Step;
import dev.holdfast.loader.internal.pipeline.Stopped;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.ProcessRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A region as the stages around it see it. Its lanes, one per worker, take inputs whenever they may
 * have one more; the lane that takes the end of a pass has all workers finish and sends it on.
 *
 * <p>In input order no lane takes an input beyond a window from the lowest one that is not done,
 * except the lane that has this one: its worker may be collecting a batch and need more to answer.
 */
final class RegionNode implements RegionStage {
  private static final int WINDOW_PER_INPUT = 4;

  final Step.Region step;
  final ProcessRegion region;
  final Epochs epochs;
  final RegionHost host;
  volatile StageFigures figures;
  final int inputsAhead;
  final int inputsPerAnswer;
  final LongAdder restarted = new LongAdder();

  private final List<Step> following;
  private final boolean ownsArenas;
  private final List<Lane> lanes = new ArrayList<>();
  private final ReentrantLock taking = new ReentrantLock();
  private final AtomicBoolean failed = new AtomicBoolean();

  private volatile @Nullable Outcomes outcomes;
  private volatile @Nullable Inlet in;
  private volatile @Nullable CellQueue out;
  private volatile boolean closing;
  private long next; // guarded by the taking lock

  RegionNode(
      Step.Region step, List<Step> following, Epochs epochs, RegionHost host, boolean ownsArenas) {
    this.step = step;
    this.region = step.region();
    this.following = following;
    this.epochs = epochs;
    this.host = host;
    this.ownsArenas = ownsArenas;
    this.figures = new StageFigures(step.name(), region.workers(), region.workers());
    this.inputsPerAnswer = PlanChecks.heldInside(step);
    this.inputsAhead =
        Math.max(region.inputsAhead(), inputsPerAnswer == 1 ? 1 : inputsPerAnswer + 1);
  }

  boolean inputOrder() {
    return region.order() == Order.INPUT;
  }

  boolean replacesWorkers() {
    return region.onWorkerDeath() == OnWorkerDeath.RESTART;
  }

  @Override
  public void startWorkers() {
    for (int i = 0; i < region.workers(); i++) {
      LaneArenas arenas = LaneArenas.of(region, i, ownsArenas);
      lanes.add(new Lane(this, i, arenas));
      PlanChecks.largeEnough(step.name(), "outputArena", arenas.output(), following);
      PlanChecks.largeEnough(step.name(), "inputArena", arenas.input(), step.steps());
    }
    lanes.forEach(Lane::openArenas);
    atOnce("start", Lane::tryStart);
    Steps steps = new Steps();
    lanes.forEach(lane -> steps.failed(lane.startFailure()));
    steps.end();
  }

  /** Does something for all lanes, by the caller where the system refuses a thread for it. */
  private void atOnce(String what, Consumer<Lane> action) {
    List<Thread> threads = new ArrayList<>();
    for (Lane lane : lanes) {
      try {
        threads.add(
            Thread.ofPlatform()
                .daemon()
                .name("holdfast-region-" + what + "-" + lane.index())
                .start(() -> action.accept(lane)));
      } catch (OutOfMemoryError e) {
        action.accept(lane); // the JVM calls a thread that the system refuses a lack of memory
      }
    }
    threads.forEach(RegionNode::join);
  }

  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void start(Inlet newIn, CellQueue newOut) {
    figures = new StageFigures(step.name(), region.workers(), newIn.capacity());
    in = newIn;
    out = newOut;
    outcomes = inputOrder() ? new Reorder(newOut) : new Unordered(newOut);
    lanes.forEach(Lane::startThreads);
  }

  Outcomes outcomes() {
    Outcomes there = outcomes;
    if (there == null) {
      throw new IllegalStateException("the region has not started");
    }
    return there;
  }

  private Inlet inlet() {
    Inlet there = in;
    if (there == null) {
      throw new IllegalStateException("the region has not started");
    }
    return there;
  }

  private CellQueue outlet() {
    CellQueue there = out;
    if (there == null) {
      throw new IllegalStateException("the region has not started");
    }
    return there;
  }

  /** Ends a thread of the region when there is nothing left to do. */
  void requireGoing() {
    if (closing || failed.get()) {
      throw new Stopped();
    }
  }

  /** Returns the next input for a lane, or null when something else was dealt with. */
  @Nullable Input nextInput(Lane lane) {
    long window = (long) WINDOW_PER_INPUT * inputsAhead * lanes.size();
    LongPredicate own = lane.book()::has;
    outcomes().awaitWithin(window, own);
    taking.lock();
    try {
      requireGoing();
      if (!outcomes().within(window, own)) {
        return null; // another lane has taken the last one that was allowed
      }
      Cell cell = inlet().take();
      return switch (cell) {
        case Cell.Item item -> {
          if (epochs.isCancelled(item.epoch())) {
            CellQueue.drop(item);
            yield null;
          }
          inlet().sample(figures);
          Input input = new Input(next++, item);
          outcomes().opened(input.number);
          lane.book().add(input);
          yield input;
        }
        case Cell.End(var epoch) -> {
          finish(epoch);
          outlet().put(cell);
          yield null;
        }
        case Cell.Dropped _, Cell.Failed _ -> {
          long number = next++;
          outcomes().opened(number);
          outcomes().deliver(number, cell);
          outcomes().done(number);
          yield null;
        }
      };
    } finally {
      taking.unlock();
    }
  }

  /** Has all workers finish a pass; the caller has the taking lock, so that none begins another. */
  private void finish(long epoch) {
    lanes.forEach(lane -> lane.sendEnd(epoch));
    lanes.forEach(Lane::awaitPassEnd);
    outcomes().awaitAll();
  }

  /** Ends the wait for workers that are being started: one of them could not be. */
  void startFailed() {
    failed.set(true);
  }

  /** Ends the pipeline, after every result that is there. */
  void fail(long epoch, RuntimeException failure) {
    if (closing || !failed.compareAndSet(false, true)) {
      return;
    }
    outcomes().fail(host.fatal(epoch, failure));
    lanes.forEach(Lane::wakeThreads);
  }

  /** Ends the pipeline and returns what ends the thread that found out. */
  Stopped failed(long epoch, RuntimeException failure) {
    fail(epoch, failure);
    return new Stopped();
  }

  @Override
  public void cancelled() {
    lanes.forEach(Lane::leaveCancelled);
  }

  @Override
  public void beginClosing() {
    closing = true;
    Steps steps = new Steps();
    Outcomes there = outcomes;
    if (there != null) {
      steps.run(there::close);
    }
    lanes.forEach(lane -> steps.run(lane::beginClosing));
    steps.end();
  }

  @Override
  public void close() {
    closing = true;
    atOnce("close", Lane::tryClose);
    Steps steps = new Steps();
    lanes.forEach(lane -> steps.failed(lane.closeFailure()));
    steps.end();
  }

  @Override
  public List<StageFigures.Snapshot> figures() {
    List<StageFigures.Snapshot> inside = List.of();
    for (Lane lane : lanes) {
      inside = LaneFigures.sum(inside, lane.figures(), StageFigures.Snapshot::plus);
    }
    List<StageFigures.Snapshot> all = new ArrayList<>();
    all.add(figures.snapshot().busyAs(inside));
    all.addAll(inside);
    return all;
  }

  @Override
  public long restarts() {
    return restarted.sum();
  }
}
