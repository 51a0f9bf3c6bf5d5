package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Stopped;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a region, and those that replace it, with a thread that sends inputs and one that
 * takes results.
 *
 * <p>A pass of the pipeline is a pass of the worker. The sender opens it with its first input; it
 * ends when the worker, told that no more inputs come, has answered all. A pass that was left is
 * superseded by the next one, as for any worker.
 *
 * <pre>
 *   LaneBook      which inputs are unanswered, and the worker's pass
 *   LaneProcess   the worker
 *   LaneSender    takes inputs and sends them
 *   LaneReceiver  takes what the worker says
 *   Replacement   starts another worker and has it do again what was in the old one
 *   Settlement    sends on what came of inputs, and ends them
 *   SendWait      since when the sender waits for the worker
 *   Silence       tells a worker that hangs from one that waits
 *   LaneArenas    the arenas of both directions
 * </pre>
 *
 * <p>The arenas stay as they are until the end of the worker is proved. A lane that could not be
 * closed goes to the quarantine, behind its worker, and is tried again there and at each close.
 */
final class Lane extends Quarantine.Retained {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final RegionNode node;
  private final int index;
  private final LaneArenas arenas;
  private final LaneBook book;
  private final LaneProcess process;
  private final Settlement settlement;
  private final LaneSender sender;
  private final LaneReceiver receiver;
  private final LaneFigures figures = new LaneFigures();
  private final List<Thread> threads = new ArrayList<>();

  private final ReentrantLock ending = new ReentrantLock();
  private boolean ended; // guarded by the lock

  private volatile boolean closing;
  private volatile @Nullable RuntimeException startFailure;
  private volatile @Nullable RuntimeException closeFailure;

  Lane(RegionNode node, int index, LaneArenas arenas) {
    this.node = node;
    this.index = index;
    this.arenas = arenas;
    this.book =
        new LaneBook(node.epochs, node.replacesWorkers(), node.inputsPerAnswer, node::requireGoing);
    SendWait sendWait = new SendWait();
    this.process = new LaneProcess(node, index, arenas, book, sendWait);
    this.settlement = new Settlement(node, book);
    this.sender = new LaneSender(node, this, book, process, settlement);
    this.receiver =
        new LaneReceiver(
            node,
            book,
            process,
            arenas,
            figures,
            settlement,
            new Replacement(node, book, process, arenas, sender, figures, settlement),
            new Silence(book, sendWait, node.region.options().timeout(), arenas.output()));
  }

  int index() {
    return index;
  }

  LaneBook book() {
    return book;
  }

  /** Returns the figures of the stages inside, over all workers of this lane. */
  List<StageFigures.Snapshot> figures() {
    return figures.all();
  }

  // start

  void openArenas() {
    arenas.open(node.region.onWorkerDeath());
  }

  void tryStart() {
    sender.lock().lock();
    try {
      process.start();
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a worker is not needed: another one could not be started");
    } catch (Throwable e) {
      startFailure = unchecked("a worker could not be started", e);
      node.startFailed();
    } finally {
      sender.lock().unlock();
    }
  }

  @Nullable RuntimeException startFailure() {
    return startFailure;
  }

  void startThreads() {
    threads.add(startThread("send", sender::sendAll));
    threads.add(startThread("receive", receiver::receiveAll));
  }

  /** Starts a thread of the lane, whose failure ends the pipeline. */
  Thread startThread(String role, Runnable work) {
    return Thread.ofPlatform()
        .daemon()
        .name("holdfast-region-" + role + "-" + index)
        .start(() -> run(work));
  }

  private void run(Runnable work) {
    try {
      work.run();
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a thread of a region has ended");
    } catch (Throwable e) {
      broken(e);
    }
  }

  private void broken(Throwable thrown) {
    if (!closing) {
      LOG.log(Logger.Level.ERROR, "a thread of a region failed", thrown);
      node.fail(book.passEpoch(), unchecked("a thread of a region failed", thrown));
    }
  }

  private static RuntimeException unchecked(String what, Throwable thrown) {
    return thrown instanceof RuntimeException e ? e : new IllegalStateException(what, thrown);
  }

  // passes

  /** Tells the worker that a pass has no more inputs. */
  void sendEnd(long epoch) {
    sender.sendEnd(epoch);
  }

  /** Waits until the worker has answered all. */
  void awaitPassEnd() {
    book.awaitPassEnd();
  }

  /** Has the worker leave a pass that nobody wants any more. */
  void leaveCancelled() {
    try {
      book.leaveCancelled(process::newPass);
    } catch (RuntimeException e) {
      LOG.log(Logger.Level.DEBUG, "a pass of a region could not be left", e);
    }
  }

  // end

  void wakeThreads() {
    book.wake();
  }

  void beginClosing() {
    closing = true;
    Steps steps = new Steps();
    steps.run(book::wake);
    steps.run(process::beginClosing);
    steps.run(arenas::wake);
    steps.end();
  }

  void tryClose() {
    try {
      close();
      closeFailure = null;
    } catch (Throwable e) {
      closeFailure = unchecked("a worker could not be ended", e);
    }
  }

  @Nullable RuntimeException closeFailure() {
    return closeFailure;
  }

  private void close() {
    ending.lock();
    try {
      if (ended) {
        return;
      }
      Steps steps = new Steps();
      steps.run(this::beginClosing);
      awaitThreads();
      steps.run(process::close);
      awaitThreads();
      steps.run(process::endStart);
      steps.run(this::giveBack);
      if (!ended) {
        Quarantine.add(this);
      }
      steps.end();
    } finally {
      ending.unlock();
    }
  }

  /** Only behind the worker's end nobody else is in the arenas. */
  private void giveBack() {
    if (!process.hasEnded()) {
      throw new StorageRetainedException(
          FailureDetail.of("the arenas of a worker are kept: its end is not certain")
              .with("stage", node.step.name())
              .with("worker", index)
              .advise("they are tried again in the background and at each close"));
    }
    Steps steps = new Steps();
    steps.run(settlement::dropAll);
    steps.run(arenas::close);
    ended = steps.succeeded();
    steps.end();
  }

  @Override
  public String what() {
    return "the arenas of a worker of a region: stage=" + node.step.name() + " worker=" + index;
  }

  @Override
  public String why() {
    return process.hasEnded() ? "they could not be closed" : "the worker's end is not certain";
  }

  /** The worker is tried again by itself. */
  @Override
  public boolean retry() {
    if (ending.isHeldByCurrentThread() || !ending.tryLock()) {
      return false; // a step of this very close asks, or somebody else is at it
    }
    try {
      if (!ended && process.hasEnded()) {
        giveBack();
      }
      return ended;
    } finally {
      ending.unlock();
    }
  }

  private void awaitThreads() {
    long start = System.nanoTime();
    boolean interrupted = false;
    for (Thread thread : threads) {
      try {
        long left = END_NANOS - (System.nanoTime() - start);
        var _ = thread.join(Duration.ofNanos(Math.max(1, left)));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
