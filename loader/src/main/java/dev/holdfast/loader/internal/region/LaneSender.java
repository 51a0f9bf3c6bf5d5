package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.parent.RegionWorker;
import dev.holdfast.loader.internal.pipeline.Stopped;
import java.lang.System.Logger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes inputs and sends them to the lane's worker. Whoever sends has the sending lock: the lane's
 * sending thread, who says that a pass has no more inputs, and who replaces a worker. It comes
 * before the book's lock.
 */
final class LaneSender {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");

  private final RegionNode node;
  private final Lane lane;
  private final LaneBook book;
  private final LaneProcess process;
  private final Settlement settlement;
  private final ReentrantLock lock = new ReentrantLock();

  LaneSender(
      RegionNode node, Lane lane, LaneBook book, LaneProcess process, Settlement settlement) {
    this.node = node;
    this.lane = lane;
    this.book = book;
    this.process = process;
    this.settlement = settlement;
  }

  ReentrantLock lock() {
    return lock;
  }

  /** Sends one input after the other; ends by what it throws. */
  void sendAll() {
    while (true) {
      book.awaitRoom(node.inputsAhead);
      Input input = node.nextInput(lane);
      while (input != null && !isDealtWith(input)) {
        awaitOtherWorker(input);
      }
    }
  }

  /**
   * Waits until the receiving thread has replaced the worker, which it will find has ended, or
   * until the input is not wanted any more.
   */
  private void awaitOtherWorker(Input input) {
    RegionWorker lost = process.current();
    while (process.current().equals(lost) && lost.hasEnded() && book.has(input.number)) {
      book.awaitNews();
    }
  }

  /** Returns false when the worker had ended before. */
  private boolean isDealtWith(Input input) {
    lock.lock();
    try {
      PassState pass = book.open(input, process::newPass);
      if (pass != null) {
        transmit(pass.number(), input);
      }
      return true;
    } catch (LostWorker e) {
      return false;
    } catch (LeftEpoch e) {
      settlement.forget(input);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Opens an input and sends it. One that cannot be opened or cannot cross has failed; without the
   * arena or with a damaged one no input can cross any more. The caller has the lock.
   *
   * @throws LostWorker when the worker has ended; the input counts as not sent
   * @throws LeftEpoch when nobody wants the input any more
   */
  void transmit(long pass, Input input) {
    try {
      if (node.replacesWorkers()) {
        sendKept(pass, input);
      } else {
        sendOnce(pass, input);
      }
      book.arrived(input);
    } catch (LostWorker e) {
      book.notSent(input);
      throw e;
    } catch (LeftEpoch | Stopped e) {
      throw e;
    } catch (ArenaClosedException | ArenaCorruptedException e) {
      throw node.failed(input.epoch(), e);
    } catch (Throwable e) {
      settlement.fail(input, input.text(), e, false);
    }
  }

  private void sendKept(long pass, Input input) throws Exception {
    Input.Opened opened = input.opened;
    if (opened == null) {
      opened = new Input.Opened(input.cell.content().plain());
      input.opened = opened;
    }
    process.sender().send(pass, input.number, opened.value());
  }

  private void sendOnce(long pass, Input input) throws Exception {
    try (Lease<@Nullable Object> lease = input.cell.content().open(ViewScope.CONFINED)) {
      Object value = lease.item();
      input.opened = new Input.Opened(value); // for reports, until it was sent
      process.sender().send(pass, input.number, value);
      input.opened = null;
    }
  }

  /**
   * Sends an input again, in a pass of its own. On a thread of its own, for the caller receives:
   * what does not fit the channel can be sent only while the worker reads, and one that does not
   * read is found by who receives. The caller has the lock until that thread has ended.
   */
  Thread sendAgain(PassState open, Input input) {
    return lane.startThread(
        "resend",
        () -> {
          try {
            transmit(open.number(), input);
            endInputs(open);
          } catch (LostWorker | LeftEpoch e) {
            LOG.log(Logger.Level.DEBUG, "an input could not be sent again; its pass says why");
          }
        });
  }

  private void endInputs(PassState open) {
    process.sender().sendEnd(open.number());
    book.inputsEnded();
  }

  /** Tells the worker that a pass has no more inputs, once those that were taken are there. */
  void sendEnd(long epoch) {
    book.awaitArrived();
    lock.lock();
    try {
      PassState open = book.passOf(epoch);
      if (open != null) {
        endInputs(open);
      }
    } catch (LostWorker | LeftEpoch e) {
      LOG.log(Logger.Level.DEBUG, "the end of a pass needs not be sent");
    } finally {
      lock.unlock();
    }
  }
}
