package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.internal.parent.PassState;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a worker that died and has the new one do again what was in the old one.
 *
 * <p>Unanswered inputs are sent one at a time, each in a pass of its own: so a batch inside the
 * region is answered too, and it is known who was alone in the worker when that dies again. The
 * sender waits meanwhile; an input that it could not send any more is its own to send.
 */
final class Replacement {
  private final RegionNode node;
  private final LaneBook book;
  private final LaneProcess process;
  private final LaneArenas arenas;
  private final LaneSender sender;
  private final LaneFigures figures;
  private final Settlement settlement;

  Replacement(
      RegionNode node,
      LaneBook book,
      LaneProcess process,
      LaneArenas arenas,
      LaneSender sender,
      LaneFigures figures,
      Settlement settlement) {
    this.node = node;
    this.book = book;
    this.process = process;
    this.arenas = arenas;
    this.sender = sender;
    this.figures = figures;
    this.settlement = settlement;
  }

  /**
   * Replaces the worker, and each further one that dies of what it has to do again. On the
   * receiving thread.
   *
   * @param death the worker's death
   * @param untilEnd receives what comes of a pass until it ends; returns the worker's death if it
   *     ends so
   */
  void replace(
      WorkerDiedException death, Function<PassState, @Nullable WorkerDiedException> untilEnd) {
    sender.lock().lock();
    try {
      @Nullable WorkerDiedException last = death;
      while (last != null) {
        last = replaceOnce(last, untilEnd);
      }
    } finally {
      sender.lock().unlock();
    }
  }

  /** Returns the death of the new worker when it does not get through. */
  private @Nullable WorkerDiedException replaceOnce(
      WorkerDiedException death, Function<PassState, @Nullable WorkerDiedException> untilEnd) {
    List<Input> poison = book.died();
    figures.keep();
    if (book.deathsInRow() > node.region.maxRestarts()) {
      throw node.failed(book.passEpoch(), death);
    }
    process.endDead();
    try {
      arenas.freeWorkersSides();
    } catch (ArenaClosedException e) {
      throw node.failed(book.passEpoch(), e);
    }
    node.restarted.increment();
    poison.forEach(input -> settlement.fail(input, input.text(), death, false));
    try {
      process.start();
    } catch (WorkerDiedException e) {
      return e;
    } catch (WorkerFailedException | WorkerTimeoutException e) {
      throw node.failed(book.passEpoch(), e);
    }
    for (Input input : book.toDoAgain()) {
      @Nullable WorkerDiedException again = replay(input, untilEnd);
      if (again != null) {
        return again;
      }
    }
    return null;
  }

  private @Nullable WorkerDiedException replay(
      Input input, Function<PassState, @Nullable WorkerDiedException> untilEnd) {
    PassState open;
    try {
      open = book.open(input, process::newPass);
    } catch (LeftEpoch e) {
      settlement.forget(input);
      return null;
    }
    if (open == null) {
      return null;
    }
    Thread sending = sender.sendAgain(open, input);
    try {
      return untilEnd.apply(open);
    } finally {
      RegionNode.join(sending);
    }
  }
}
