package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.internal.life.Logs;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The threads of one stage. They take items in turn; the one that takes the end of a pass waits for
 * the others and sends it on.
 *
 * <p>In input order a thread may collect a few results before its turn comes and then sends the
 * rest one by one, so that a stage that makes many of one item needs no memory for all of them.
 */
final class StageRunner {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final int MOST_COLLECTED = 16;
  private static final int WINDOW_PER_THREAD = 2;

  private final Step step;
  private final boolean ordered;
  private final Operator operator;
  private final Inlet in;
  private final CellQueue out;
  private final Epochs epochs;
  private final StageFigures figures;
  private final Consumer<Throwable> broken;
  private final Turns turns;
  private final ReentrantLock taking = new ReentrantLock();
  private final AtWork atWork = new AtWork();
  private final List<Thread> threads = new ArrayList<>();

  StageRunner(
      Step step,
      boolean ordered,
      Operator operator,
      Inlet in,
      CellQueue out,
      Epochs epochs,
      StageFigures figures,
      Consumer<Throwable> broken) {
    this.step = step;
    this.ordered = ordered;
    this.operator = operator;
    this.in = in;
    this.out = out;
    this.epochs = epochs;
    this.figures = figures;
    this.broken = broken;
    this.turns = new Turns(WINDOW_PER_THREAD * step.concurrency());
  }

  void start() {
    boolean virtual = step instanceof Step.Calling calling && calling.how().virtual();
    for (int i = 0; i < step.concurrency(); i++) {
      String name = "holdfast-stage-" + step.name() + "-" + i;
      threads.add(
          virtual
              ? Thread.ofVirtual().name(name).unstarted(this::run)
              : Thread.ofPlatform().daemon().name(name).unstarted(this::run));
    }
    threads.forEach(Thread::start);
  }

  /** Makes the threads end, in user code by an interrupt. */
  void stop() {
    turns.close();
    atWork.close();
    threads.forEach(Thread::interrupt);
  }

  /** Waits for the threads' end. */
  boolean awaitEnd(long nanos) throws InterruptedException {
    long start = System.nanoTime();
    for (Thread thread : threads) {
      long left = nanos - (System.nanoTime() - start);
      if (!thread.join(Duration.ofNanos(Math.max(1, left)))) {
        return false;
      }
    }
    return true;
  }

  private void run() {
    try {
      while (true) {
        step();
      }
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a stage has ended: {0}", step.name());
    } catch (Throwable e) {
      broken.accept(e); // none of user code's, which is caught where it is called
    } finally {
      operator.discard(); // only an operator of a single thread keeps something
    }
  }

  private void step() {
    Cell cell;
    long ticket = -1;
    taking.lock();
    try {
      cell = in.take();
      if (cell instanceof Cell.End(var epoch)) {
        awaitOthers();
        operator.end(epoch).forEach(out::put);
        out.put(cell);
        return;
      }
      in.sample(figures);
      if (ordered) {
        ticket = turns.ticket();
      } else {
        atWork.begin();
      }
    } finally {
      taking.unlock();
    }
    try {
      if (ordered) {
        inTurn(cell, ticket);
      } else {
        Iterator<? extends Cell> results = results(cell);
        while (results.hasNext()) {
          out.put(results.next());
        }
      }
    } finally {
      if (!ordered) {
        atWork.end();
      }
      // an interrupt in a stage function is user code's
      var _ = Thread.interrupted();
    }
  }

  private void inTurn(Cell cell, long ticket) {
    Deque<Cell> collected = new ArrayDeque<>(1);
    try {
      Iterator<? extends Cell> results = results(cell);
      while (results.hasNext()) {
        if (collected.size() == MOST_COLLECTED) {
          turns.awaitTurn(ticket);
          while (!collected.isEmpty()) {
            out.put(collected.remove());
          }
        }
        collected.add(results.next());
      }
    } catch (Stopped e) {
      collected.forEach(CellQueue::drop);
      throw e;
    }
    turns.finish(ticket, collected, out::put);
  }

  private void awaitOthers() {
    if (ordered) {
      turns.awaitAll();
      return;
    }
    atWork.awaitNone();
  }

  private Iterator<? extends Cell> results(Cell cell) {
    return switch (cell) {
      case Cell.Item item -> {
        if (epochs.isCancelled(item.epoch())) {
          CellQueue.drop(item);
          yield Collections.emptyIterator();
        }
        yield new TimedResults(operator, item, figures, epochs);
      }
      case Cell.Dropped dropped -> List.of(dropped).iterator();
      case Cell.Failed failed -> List.of(failed).iterator();
      case Cell.End end -> List.of(end).iterator();
    };
  }
}
