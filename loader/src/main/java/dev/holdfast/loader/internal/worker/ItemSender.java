package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
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
 * commit, so a unit never lacks its record; a failure before leaves neither.
 */
final class ItemSender {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Control control;
  private final ChannelSender sender;
  private final ItemCodec.Encoder encoder;
  private final @Nullable ArenaWriter writer;
  private final Runnable passCheck;

  // of the current pass
  private long pass;
  private long index;

  ItemSender(
      Control control,
      ChannelSender sender,
      ItemCodec.Encoder encoder,
      @Nullable ArenaWriter writer) {
    this.control = control;
    this.sender = sender;
    this.encoder = encoder;
    this.writer = writer;
    this.passCheck = control::checkPass;
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
  }

  void finished() {
    report(MessageKind.FINISHED, published(), NOTHING);
  }

  void left() {
    report(MessageKind.LEFT, published(), NOTHING);
  }

  void sourceFailed(Throwable thrown) {
    report(MessageKind.SOURCE_FAILED, index, FailureCodec.encode(thrown));
  }

  /**
   * Sends an item, or why it cannot be sent.
   *
   * @throws LeavePass when another command has come
   */
  void send(@Nullable Object item) {
    boolean settled = false;
    while (!settled) {
      settled = attempt(item);
    }
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
      return false;
    } catch (Throwable e) {
      // a wait inside the encoder may have been ended by a command, which then came wrapped
      control.checkPass();
      if (writer != null && e instanceof AcquireTimeoutException) {
        report(MessageKind.NO_SPACE, index, FailureCodec.encode(e));
        awaitRetry();
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
        sender.prepare(MessageKind.ITEM, pass, index, encoded.bytes(), 0, true, passCheck);
        sender.publish();
      } else {
        arena.beginUnit();
        EncodedItem encoded = encoder.encode(item, arena);
        sender.prepare(
            MessageKind.UNIT_ITEM,
            pass,
            index,
            encoded.bytes(),
            UnitReceipt.BYTES,
            true,
            passCheck);
        UnitReceipt receipt = arena.commitUnit();
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
        giveUp(arena);
      }
    }
    if (FaultPoint.ENABLED) {
      FaultPoint.RECORD_SENT.reach();
    }
  }

  private void giveUp(@Nullable ArenaWriter arena) {
    sender.cancel();
    encoder.dropped();
    if (arena != null) {
      arena.abortUnit();
    }
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
