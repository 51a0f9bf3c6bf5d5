package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.IterationStoppedException;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.failure.FailureCodec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends the items of a pass, each with its unit.
 *
 * <p>An item is encoded into an open unit, its record gets room in the channel and is copied, then
 * the unit is committed and the record published. All that can wait or fail comes before the
 * commit, so a unit never lacks its record; a failure before leaves neither. A source that fills
 * memory in place has its unit opened before the item is there.
 */
final class ItemSender {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  /** An item that is interrupted so often while it is sent does it itself, and fails. */
  private static final int MOST_INTERRUPTS = 100;

  private final Control control;
  private final ChannelSender sender;
  private final ItemCodec.Encoder encoder;
  private final @Nullable ArenaWriter writer;
  private final FillMemory memory;
  private final Runnable passCheck;

  // of the current pass
  private long pass;
  private long index;
  private int interrupts;
  private boolean running;
  private boolean unitOpen;

  ItemSender(
      Control control,
      ChannelSender sender,
      ItemCodec.Encoder encoder,
      @Nullable ArenaWriter writer,
      FillMemory memory) {
    this.control = control;
    this.sender = sender;
    this.encoder = encoder;
    this.writer = writer;
    this.memory = memory;
    this.passCheck = control::checkPass;
  }

  /** Returns the number of the current pass. */
  long pass() {
    return pass;
  }

  long published() {
    return writer == null ? -1 : writer.published();
  }

  void checkPass() {
    control.checkPass();
  }

  void begin(long number) {
    pass = number;
    index = 0;
    if (writer != null) {
      writer.reset();
    }
    report(MessageKind.STARTED, published(), NOTHING);
    running = true;
  }

  /** Ends what the source had allocated for an item that does not come. */
  void abandon() {
    running = false;
    abortUnit();
    memory.discard();
  }

  void finished() {
    report(MessageKind.FINISHED, published(), NOTHING);
  }

  void left() {
    report(MessageKind.LEFT, published(), NOTHING);
  }

  void sourceFailed(Throwable thrown) {
    if (thrown instanceof IterationStoppedException) {
      control.checkPass(); // a command had ended its wait for memory
    }
    report(MessageKind.SOURCE_FAILED, index, FailureCodec.encode(thrown));
  }

  /** Returns memory for the item that is sent next; called by the source's code. */
  MemorySegment allocate(long byteSize) {
    if (!running) {
      throw noPass();
    }
    if (memory.needsUnit() && !unitOpen && writer != null) {
      try {
        openUnit(writer);
      } catch (LeavePass | EndWorker e) {
        throw new IterationStoppedException(
            FailureDetail.of("the consumer has left the iteration")
                .with("pass", pass)
                .with("index", index),
            e);
      }
    }
    return memory.allocate(byteSize);
  }

  static IllegalStateException noPass() {
    return new IllegalStateException(
        "memory for items is allocated while an iterator is asked for its next item, and at no"
            + " other time");
  }

  /**
   * Sends an item, or why it cannot be sent.
   *
   * @throws LeavePass when another command has come
   */
  void send(@Nullable Object item) {
    @Nullable Object value = item;
    if (item instanceof Answer answer) {
      sendAnswer(answer);
      if (!answer.hasValue()) {
        abortUnit();
        memory.discard();
        return;
      }
      value = answer.value();
    }
    sendValue(value);
  }

  /** What follows it, or is lost with the worker, is the item that it speaks of. */
  private void sendAnswer(Answer answer) {
    while (true) {
      var _ = Thread.interrupted();
      try {
        if (answer.hasValue()) {
          sender.sendAhead(MessageKind.ANSWER, pass, index, answer.bytes(), passCheck);
        } else {
          sender.send(MessageKind.ANSWER, pass, index, answer.bytes(), passCheck);
        }
        return;
      } catch (HoldfastInterruptedException e) {
        // the flag is user code's, and it tries again
      }
    }
  }

  private void sendValue(@Nullable Object item) {
    interrupts = 0;
    boolean settled = false;
    while (!settled) {
      settled = attempt(item);
    }
    memory.discard();
    index++;
  }

  private boolean attempt(@Nullable Object item) {
    try {
      // user code may have interrupted this thread, which says nothing to our waits
      var _ = Thread.interrupted();
      trySend(item);
      return true;
    } catch (LeavePass | EndWorker e) {
      throw e;
    } catch (HoldfastInterruptedException e) {
      // either user code had interrupted a wait for space, or its own code throws this
      control.checkPass();
      if (!memory.isInUnit() && ++interrupts < MOST_INTERRUPTS) {
        return false;
      }
      report(MessageKind.ITEM_FAILED, index, FailureCodec.encode(e));
      return true;
    } catch (Throwable e) {
      // a wait inside the encoder may have been ended by a command, which then came wrapped
      control.checkPass();
      if (writer != null && !memory.isInUnit() && e instanceof AcquireTimeoutException) {
        complain(e);
        return false;
      }
      report(MessageKind.ITEM_FAILED, index, FailureCodec.encode(e));
      return true;
    }
  }

  private void trySend(@Nullable Object item) throws IOException {
    ArenaWriter arena = writer;
    boolean sent = false;
    try {
      if (arena == null) {
        EncodedItem encoded = encoder.encode(item, null);
        prepare(MessageKind.ITEM, encoded.bytes(), 0);
        memory.end();
        sender.publish();
      } else {
        openUnit(arena);
        EncodedItem encoded = encoder.encode(item, arena);
        prepare(MessageKind.UNIT_ITEM, encoded.bytes(), UnitReceipt.BYTES);
        memory.end();
        UnitReceipt receipt = arena.commitUnit();
        unitOpen = false;
        if (FaultPoint.ENABLED) {
          FaultPoint.UNIT_COMMITTED.reach();
        }
        sender.publish(receipt);
      }
      sent = true;
    } finally {
      if (sent) {
        encoder.sent();
      } else {
        giveUp();
      }
    }
    if (FaultPoint.ENABLED) {
      FaultPoint.RECORD_SENT.reach();
    }
  }

  /**
   * Opens the unit of the next item unless it is open; the consumer hears of it when there is no
   * space.
   */
  private void openUnit(ArenaWriter arena) {
    while (!unitOpen) {
      try {
        arena.beginUnit();
        unitOpen = true;
      } catch (AcquireTimeoutException e) {
        control.checkPass();
        complain(e);
      }
    }
  }

  /** An interrupt is user code's and says nothing here; what lies in the unit would be lost. */
  private void prepare(int kind, MemorySegment body, int tailBytes) {
    while (true) {
      try {
        sender.prepare(kind, pass, index, body, tailBytes, true, passCheck);
        return;
      } catch (HoldfastInterruptedException e) {
        var _ = Thread.interrupted();
      }
    }
  }

  private void giveUp() {
    sender.cancel();
    encoder.dropped();
    abortUnit();
  }

  private void abortUnit() {
    unitOpen = false;
    if (writer != null) {
      writer.abortUnit();
    }
  }

  private void complain(Throwable noSpace) {
    report(MessageKind.NO_SPACE, index, FailureCodec.encode(noSpace));
    awaitRetry();
  }

  /**
   * The consumer was told; it says when it asks for the item again, so that no old complaint
   * reaches it.
   */
  private void awaitRetry() {
    if (control.awaitCommand() != MessageKind.RETRY) {
      control.putBack();
      throw new LeavePass();
    }
  }

  /** Sends a report; only the end of the worker keeps it from arriving. */
  private void report(int kind, long number, MemorySegment body) {
    while (true) {
      var _ = Thread.interrupted();
      try {
        sender.send(kind, pass, number, body, control::checkEnd);
        return;
      } catch (HoldfastInterruptedException e) {
        // the flag is user code's, and it tries again
      }
    }
  }
}
