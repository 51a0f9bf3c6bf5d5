package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.parent.RegionWorker;
import dev.holdfast.loader.internal.pipeline.Stopped;
import dev.holdfast.loader.pipeline.ProcessRegion;
import org.jspecify.annotations.Nullable;

/** The worker process of a lane, and after its death the one that replaces it. */
final class LaneProcess {
  private final RegionNode node;
  private final int index;
  private final LaneArenas arenas;
  private final LaneBook book;
  private final SendWait sendWait;

  /** Of the worker that was started last, which may be on its way. */
  private volatile RegionWorker.@Nullable End end;

  private volatile @Nullable RegionWorker worker;
  private volatile boolean closing;
  private boolean closed; // guarded by this

  private @Nullable InputSender sender; // guarded by the sending lock

  LaneProcess(RegionNode node, int index, LaneArenas arenas, LaneBook book, SendWait sendWait) {
    this.node = node;
    this.index = index;
    this.arenas = arenas;
    this.book = book;
    this.sendWait = sendWait;
  }

  /**
   * Starts a worker and waits until it is ready, or until the region is to end. The caller has the
   * sending lock.
   */
  void start() {
    ProcessRegion region = node.region;
    RegionWorker started =
        RegionWorker.start(
            this::begin,
            new RegionSource(
                node.step.steps(), node.inputOrder(), arenas.input(), region.options().codec()),
            region.initializers(),
            region.options(),
            index,
            region.workers(),
            region.seed(),
            arenas.output(),
            arenas.reader(),
            Thread.currentThread().getContextClassLoader(),
            node::requireGoing);
    if (!adopt(started)) {
      started.close();
      throw new Stopped();
    }
    sender =
        new InputSender(
            started.inputs(),
            region.options().codec().codec().newEncoder(),
            arenas.writer(),
            sendWait,
            () -> requireWanted(started),
            node.host::complain);
    if (closing) {
      started.beginClosing();
    }
  }

  private synchronized void begin(RegionWorker.End next) {
    if (closed) {
      throw new Stopped();
    }
    end = next;
  }

  private synchronized boolean adopt(RegionWorker started) {
    if (!closed) {
      worker = started;
    }
    return !closed;
  }

  private void requireWanted(RegionWorker current) {
    node.requireGoing();
    if (current.hasEnded()) {
      throw new LostWorker();
    }
    if (node.epochs.isCancelled(book.passEpoch())) {
      throw new LeftEpoch();
    }
  }

  /** Returns the worker. */
  RegionWorker current() {
    RegionWorker there = worker;
    if (there == null) {
      throw new Stopped();
    }
    return there;
  }

  /** Begins a pass of the worker. */
  PassState newPass() {
    return current().newPass();
  }

  /** Returns what sends to the worker. The caller has the sending lock. */
  InputSender sender() {
    InputSender there = sender;
    if (there == null) {
      throw new Stopped();
    }
    return there;
  }

  /** Makes every wait for the worker end, now and for those that come. */
  void beginClosing() {
    closing = true;
    RegionWorker there = worker;
    if (there != null) {
      there.beginClosing();
    }
  }

  /** Ends the worker, which is about to be replaced. */
  void endDead() {
    current().close();
  }

  /** Returns whether no worker is there, or on its way, that could be in the arenas. */
  boolean hasEnded() {
    RegionWorker.End last = end;
    return last == null || last.isProved();
  }

  /** Ends the worker for good: one that is being started ends as soon as it is there. */
  void close() {
    RegionWorker there;
    synchronized (this) {
      closed = true;
      there = worker;
    }
    if (there != null) {
      there.close();
    }
  }

  /** Tries again to end a worker that was on its way when this was closed. */
  void endStart() {
    RegionWorker there = worker;
    RegionWorker.End last = end;
    if (last != null && !last.isProved() && (there == null || !there.endsWith(last))) {
      last.tryAgain();
    }
  }
}
