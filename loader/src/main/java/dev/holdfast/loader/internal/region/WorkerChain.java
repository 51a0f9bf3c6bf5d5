package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import dev.holdfast.loader.internal.pipeline.Epochs;
import dev.holdfast.loader.internal.pipeline.Inlet;
import dev.holdfast.loader.internal.pipeline.PulledStage;
import dev.holdfast.loader.internal.pipeline.StageContext;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Stages;
import dev.holdfast.loader.internal.pipeline.Step;
import dev.holdfast.loader.internal.pipeline.Stopped;
import dev.holdfast.loader.internal.worker.RegionInputs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The stages of a region inside a worker. The last one runs on the main thread when its concurrency
 * is 1, and so may fill memory of the arena. A single such stage takes its inputs there too, and
 * there is no other thread; else a thread reads them and each further stage has its own.
 */
final class WorkerChain {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int BROKEN = 70;

  private final Epochs epochs = new Epochs();
  private final Stages stages;
  private final RegionInputs inputs;
  private final InputInlet inlet;
  private final List<StageFigures> figures = new ArrayList<>();
  private final Inlet results;
  private final @Nullable CellQueue first;
  private final @Nullable PulledStage pulled;
  private final String lastStage;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition begun = lock.newCondition();
  private long pass; // guarded by the lock

  WorkerChain(
      List<Step> all,
      boolean inputOrder,
      InputInlet inlet,
      RegionInputs inputs,
      WorkerContext context) {
    this.inputs = inputs;
    this.inlet = inlet;
    this.stages =
        new Stages(
            epochs,
            (item, trouble) ->
                List.of(new Cell.Dropped(item.epoch(), item.origins(), List.of(trouble))),
            WorkerChain::broken);
    List<Step> working = all.stream().filter(step -> !(step instanceof Step.Buffer)).toList();
    Step last = working.getLast();
    int lastAt = all.lastIndexOf(last);
    boolean alone = working.size() == 1 && last.concurrency() == 1;
    this.first = alone ? null : stages.queueBefore(all, 0);
    this.lastStage = last.name();
    Inlet in = first == null ? inlet : first;
    @Nullable PulledStage onMain = null;
    StageContext ordinary = StageContext.of(context);
    for (int i = 0; i < all.size(); i++) {
      Step step = all.get(i);
      if (step instanceof Step.Buffer) {
        continue;
      }
      StageFigures counted = stages.figures(step, in);
      figures.add(counted);
      if (i == lastAt && step.concurrency() == 1) {
        onMain = stages.pulled(step, context, first == null ? in : new Sliced(in), counted);
        in = onMain;
      } else {
        CellQueue out = stages.queueBefore(all, i + 1);
        stages.add(step, inputOrder, ordinary, in, out, counted);
        in = out;
      }
    }
    this.pulled = onMain;
    this.results = in instanceof CellQueue ? new Sliced(in) : in;
    stages.start();
    if (first != null) {
      CellQueue queue = first;
      var _ = Thread.ofPlatform().daemon().name("holdfast-region-inputs").start(() -> read(queue));
    }
  }

  /** Begins a pass; on the main thread. */
  void begin(long number) {
    if (first == null) {
      inlet.begin(number, inputs::checkPass);
      return;
    }
    lock.lock();
    try {
      pass = number;
      begun.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for what comes next of a pass; on the main thread. */
  Cell next(long number) {
    while (true) {
      Cell cell = results.take();
      if (cell.epoch() == number) {
        return cell;
      }
      if (cell instanceof Cell.Item item) {
        item.content().discard();
      }
    }
  }

  /** Ends a pass that was left; on the main thread. */
  void leave(long number) {
    stages.cancelUpTo(number);
    if (pulled != null) {
      pulled.leave();
    }
  }

  /** Returns the name of the stage whose results cross. */
  String lastStage() {
    return lastStage;
  }

  List<StageFigures.Snapshot> figures() {
    return figures.stream().map(StageFigures::snapshot).toList();
  }

  private void read(CellQueue queue) {
    long last = 0;
    try {
      while (true) {
        long number = awaitPass(last);
        last = number;
        inlet.begin(number, () -> checkReading(number));
        readPass(queue, number);
        queue.put(new Cell.End(number));
      }
    } catch (Stopped e) {
      // the process ends
    } catch (Throwable e) {
      broken(e);
    }
  }

  private void readPass(CellQueue queue, long number) {
    try {
      Cell cell = inlet.take();
      while (!(cell instanceof Cell.End)) {
        queue.put(cell);
        cell = inlet.take();
      }
    } catch (LeftPass e) {
      // its end is said all the same
    }
    if (epochs.isCancelled(number)) {
      stages.cancelUpTo(number);
    }
  }

  private void checkReading(long number) {
    if (inputs.ended()) {
      throw new Stopped();
    }
    if (epochs.isCancelled(number)) {
      throw new LeftPass();
    }
  }

  private long awaitPass(long last) {
    lock.lock();
    try {
      while (pass == last) {
        begun.awaitUninterruptibly();
      }
      return pass;
    } finally {
      lock.unlock();
    }
  }

  /** Nothing works any more; the parent learns of it by the death. */
  private static void broken(Throwable thrown) {
    thrown.printStackTrace();
    Runtime.getRuntime().halt(BROKEN);
  }

  /** The pass that inputs were read for was left. */
  private static final class LeftPass extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LeftPass() {
      super("the pass was left", null, false, false);
    }
  }

  /** Lets the main thread look at the parent's commands while it waits in a queue. */
  private final class Sliced implements Inlet {
    private final CellQueue queue;

    Sliced(Inlet queue) {
      this.queue = (CellQueue) queue;
    }

    @Override
    public int capacity() {
      return queue.capacity();
    }

    @Override
    public void sample(StageFigures counted) {
      queue.sample(counted);
    }

    @Override
    public Cell take() {
      while (true) {
        inputs.checkPass();
        try {
          Cell cell = queue.take(SLICE_NANOS);
          if (cell != null) {
            return cell;
          }
        } catch (InterruptedException e) {
          // user code's, and it looks again
          Thread.onSpinWait();
        }
      }
    }
  }
}
