package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.pipeline.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The queues and threads of a chain of stages in one process. */
public final class Stages {
  private static final int LEAST_QUEUE = 4;

  private final Epochs epochs;
  private final Troubles troubles;
  private final Consumer<Throwable> broken;
  private final List<CellQueue> queues = new ArrayList<>();
  private final List<StageRunner> runners = new ArrayList<>();

  /** Makes an empty chain. */
  public Stages(Epochs epochs, Troubles troubles, Consumer<Throwable> broken) {
    this.epochs = epochs;
    this.troubles = troubles;
    this.broken = broken;
  }

  /** Makes the queue in front of the step at a place; it is as long as a buffer there says. */
  public CellQueue queueBefore(List<Step> steps, int at) {
    int capacity = LEAST_QUEUE;
    if (at < steps.size()) {
      capacity =
          steps.get(at) instanceof Step.Buffer(_, var size)
              ? size
              : Math.max(LEAST_QUEUE, 2 * steps.get(at).concurrency());
    }
    CellQueue queue = new CellQueue(capacity, epochs);
    queues.add(queue);
    return queue;
  }

  /** Makes a stage's figures. */
  public StageFigures figures(Step step, Inlet in) {
    return new StageFigures(step.name(), step.concurrency(), in.capacity());
  }

  /** Adds a stage on threads of its own. */
  public void add(
      Step step,
      boolean ordered,
      WorkerContext context,
      Inlet in,
      CellQueue out,
      StageFigures figures) {
    runners.add(
        new StageRunner(
            step,
            ordered || step.order() == Order.INPUT,
            Operators.of(step, context, troubles, figures),
            in,
            out,
            epochs,
            figures,
            broken));
  }

  /** Makes a stage that runs on the thread which takes from it. */
  public PulledStage pulled(Step step, WorkerContext context, Inlet in, StageFigures figures) {
    return new PulledStage(Operators.of(step, context, troubles, figures), in, epochs, figures);
  }

  /** Starts the threads. */
  public void start() {
    runners.forEach(StageRunner::start);
  }

  /** Marks passes as left and drops what belongs to them. */
  public void cancelUpTo(long epoch) {
    epochs.cancelUpTo(epoch);
    queues.forEach(CellQueue::purge);
  }

  /** Ends all waits and interrupts user code. */
  public void stop() {
    queues.forEach(CellQueue::close);
    runners.forEach(StageRunner::stop);
  }

  /**
   * Waits for the threads' end.
   *
   * @return false when one goes on
   */
  public boolean awaitEnd(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    boolean ended = true;
    for (StageRunner runner : runners) {
      ended &= runner.awaitEnd(Math.max(1, nanos - (System.nanoTime() - start)));
    }
    return ended;
  }
}
