package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import dev.holdfast.loader.internal.launch.WorkerProcess;
import java.lang.System.Logger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Ends a worker and what belongs to it: abort, wake, drain, wait, terminate, kill, wait for its
 * outputs, close, unlink. Each step runs whether or not another failed; the first failure is thrown
 * at the end with the others attached. What is there is told as it comes into being, so that a
 * start that fails half-way is undone in the same way.
 *
 * <p>Storage is closed and unlinked only when the worker's end is proved. Otherwise all of it
 * stays, goes to the quarantine, and is tried again there and at each further close.
 */
final class Teardown extends Quarantine.Retained {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final long ASKED_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long TERMINATED_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long KILLED_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long DRAIN_MILLIS = 500;

  private final @Nullable SharedMemoryArena arena;
  private final boolean ofHost;

  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean begun;
  private volatile @Nullable ChannelMemory memory;
  private volatile @Nullable WorkerProcess process;
  private volatile @Nullable ArenaReader reader;
  private volatile @Nullable Session session;

  // guarded by the lock
  private boolean impatient;
  private volatile boolean ended; // also read without it
  private boolean memoryClosed;
  private Steps steps = new Steps();
  private String why = "";

  /**
   * Begins with nothing to end but an arena.
   *
   * @param arena the worker's, or null
   * @param ofHost whether the worker has arenas of its own, whose names it removes when it exits
   */
  Teardown(@Nullable SharedMemoryArena arena, boolean ofHost) {
    this.arena = arena;
    this.ofHost = ofHost;
    LiveWorkers.add(this);
  }

  void owns(ChannelMemory newMemory) {
    memory = newMemory;
  }

  void owns(WorkerProcess newProcess) {
    process = newProcess;
  }

  void owns(ArenaReader newReader) {
    reader = newReader;
  }

  void owns(Session newSession) {
    session = newSession;
  }

  /** Returns whether somebody has begun to close. */
  boolean hasBegun() {
    return begun;
  }

  /**
   * Returns whether no worker runs, or will: its end is proved, or its start undone without one.
   */
  boolean hasEnded() {
    WorkerProcess started = process;
    return started == null ? ended : started.hasEnded();
  }

  /** Undoes a start that failed: nobody has anything to lose, so the worker is not asked first. */
  void undo(Throwable reason) {
    lock.lock();
    try {
      impatient = true;
      close();
    } catch (RuntimeException | Error e) {
      reason.addSuppressed(e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends everything, or tries again what could not be ended.
   *
   * @throws StorageRetainedException when something is left
   */
  void close() {
    begun = true;
    beginClosing();
    lock.lock();
    try {
      if (ended) {
        return;
      }
      try {
        runSteps();
      } finally {
        if (!ended) {
          Quarantine.add(this);
        }
      }
      steps.end();
    } finally {
      lock.unlock();
    }
  }

  /** What fails here does so again in the step that wakes, and is told with the others. */
  private void beginClosing() {
    try {
      if (session != null) {
        session.beginClosing();
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.DEBUG, "those who wait for a worker could not all be woken", e);
    }
  }

  private void runSteps() {
    steps = new Steps();
    step("abort", this::abort);
    step("shut down", this::shutDown);
    step("wake", this::wake);
    step("drain", this::drain);
    step("wait", this::await);
    step("terminate", this::terminate);
    step("kill", this::kill);
    if (living() != null) {
      why = "the worker's end is not certain";
      steps.failed(retained());
      return;
    }
    step("outputs", this::awaitOutputs);
    step("close reader", this::closeReader);
    boolean channelClosed = step("close channel", this::closeChannel);
    boolean closed = step("close arena", this::closeArena);
    boolean unlinked = closed && step("unlink", this::unlinkArena);
    ended = channelClosed && unlinked;
    if (ended) {
      LiveWorkers.remove(this);
    } else {
      why = "its memory could not be closed";
    }
  }

  private boolean step(String name, Runnable action) {
    try {
      if (FaultPoint.ENABLED) {
        FaultPoint.PARENT_TEARDOWN_STEP.reach();
      }
      action.run();
      return true;
    } catch (RuntimeException | Error e) {
      LOG.log(Logger.Level.DEBUG, () -> "a step of ending a worker failed: " + name, e);
      steps.failed(e);
      return false;
    }
  }

  private void abort() {
    if (memory != null && !memoryClosed) {
      memory.endWorker();
    }
  }

  private void shutDown() {
    if (arena != null) {
      unlessGone(arena::shutdown);
    }
  }

  private void wake() {
    if (session != null) {
      session.wakeWaiters();
    }
  }

  /**
   * Memory that was damaged or cut short carries no message any more, and an arena that its owner
   * has closed takes nothing back. That is for whoever asks for items to hear of; everything can be
   * ended all the same.
   */
  private static void unlessGone(Runnable action) {
    try {
      action.run();
    } catch (ArenaCorruptedException | ArenaClosedException e) {
      LOG.log(
          Logger.Level.DEBUG, "the memory of a worker that is being ended is damaged or closed", e);
    }
  }

  private void drain() {
    Session open = session;
    if (open == null || memoryClosed) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      if (open.lock().tryLock(DRAIN_MILLIS, TimeUnit.MILLISECONDS)) {
        try {
          unlessGone(open::drain);
        } catch (OutOfMemoryError e) {
          LOG.log(Logger.Level.DEBUG, "a record that nobody wants does not fit the heap", e);
        } finally {
          open.lock().unlock();
        }
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns the worker while its end is not proved. */
  private @Nullable WorkerProcess living() {
    WorkerProcess worker = process;
    return worker == null || worker.hasEnded() ? null : worker;
  }

  private void await() {
    WorkerProcess worker = living();
    if (worker != null && !impatient) {
      var _ = worker.awaitEnd(ASKED_NANOS);
    }
  }

  private void terminate() {
    WorkerProcess worker = living();
    if (worker != null && !impatient) {
      worker.terminate();
      var _ = worker.awaitEnd(TERMINATED_NANOS);
    }
  }

  private void kill() {
    WorkerProcess worker = living();
    if (worker != null) {
      worker.kill();
      var _ = worker.awaitEnd(KILLED_NANOS);
    }
  }

  /** Whoever has closed may exit next, and would take with it what has not been written on. */
  private void awaitOutputs() {
    if (process != null) {
      process.awaitOutputs();
    }
  }

  private void closeReader() {
    ArenaReader open = reader;
    if (open != null) {
      unlessGone(open::close);
    }
  }

  /**
   * Under the session's lock, since the last thread that waited there may still look at the memory.
   */
  private void closeChannel() {
    ChannelMemory open = memory;
    if (open == null || memoryClosed) {
      return;
    }
    memoryClosed = true;
    Session user = session;
    if (user == null) {
      var _ = open.close();
      return;
    }
    user.lock().lock();
    try {
      var _ = open.close();
    } finally {
      user.lock().unlock();
    }
  }

  private void closeArena() {
    if (arena != null) {
      arena.close();
    }
  }

  private void unlinkArena() {
    if (arena != null) {
      arena.unlink();
    }
  }

  private StorageRetainedException retained() {
    FailureDetail detail = FailureDetail.of("a worker could not be ended").with("why", why);
    if (process != null) {
      detail = detail.with("pid", process.pid()).with("state", process.state());
    }
    return new StorageRetainedException(
        detail.advise("its storage is kept and tried again in the background and at each close"));
  }

  boolean isOfHost() {
    return ofHost;
  }

  /** Lets a host remove the names of its arenas before {@link #atExit} ends it. */
  void askAtExit() {
    if (ofHost && process != null) {
      process.terminate();
    }
  }

  /**
   * What the exit of this process asks for: no worker and no name is left. Ends no scope and unmaps
   * nothing.
   *
   * @param hostsEnd until when a host is waited for, in the time of {@link System#nanoTime}
   */
  void atExit(long hostsEnd) {
    try {
      if (process != null) {
        if (ofHost) {
          var _ = process.awaitEnd(Math.max(0, hostsEnd - System.nanoTime()));
        }
        process.kill();
      }
    } finally {
      if (arena != null) {
        arena.unlink();
      }
    }
  }

  @Override
  public String what() {
    return "a worker and its storage" + (process == null ? "" : ": pid=" + process.pid());
  }

  @Override
  public String why() {
    return why;
  }

  @Override
  public boolean retry() {
    if (lock.isHeldByCurrentThread() || !lock.tryLock()) {
      return false; // a step of this very teardown asks, or somebody else is at it
    }
    try {
      if (!ended) {
        runSteps();
      }
      return ended;
    } finally {
      lock.unlock();
    }
  }
}
