package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.pipeline.Stopped;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends inputs to one worker, each with its unit, in the same order of steps as a worker sends its
 * items: encode, get room for the record, commit the unit, publish the record. For one thread at a
 * time.
 */
final class InputSender {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Channel channel;
  private final ChannelSender sender;
  private final ItemCodec.Encoder encoder;
  private final @Nullable ArenaWriter writer;
  private final SendWait sendWait;
  private final Runnable check;
  private final Runnable waitingCheck;
  private final Consumer<RuntimeException> noSpace;
  private final Pace pace = new Pace();

  InputSender(
      Channel channel,
      ItemCodec.Encoder encoder,
      @Nullable ArenaWriter writer,
      SendWait sendWait,
      Runnable check,
      Consumer<RuntimeException> noSpace) {
    this.channel = channel;
    this.sender = new ChannelSender(channel, Long.MAX_VALUE);
    this.encoder = encoder;
    this.writer = writer;
    this.sendWait = sendWait;
    this.check = check;
    this.waitingCheck = this::checkWaiting;
    this.noSpace = noSpace;
    if (writer != null) {
      writer.whileWaiting(waitingCheck);
    }
  }

  private void checkWaiting() {
    if (channel.retain()) {
      try {
        sendWait.goesOn(sender.consumedPosition());
      } finally {
        channel.release();
      }
    }
    check.run();
  }

  /**
   * Sends an input. What the check throws ends it, and the input is not sent then.
   *
   * @throws IOException when it cannot cross
   */
  void send(long pass, long number, @Nullable Object value) throws IOException {
    check.run(); // it looks only while it waits, and a dead worker's channel may have room
    try {
      while (!hasSent(pass, number, value)) {
        pace.keep();
      }
    } finally {
      sendWait.over();
    }
  }

  /** Returns false when it is to be tried again. */
  private boolean hasSent(long pass, long number, @Nullable Object value) throws IOException {
    // this thread is ours: whoever interrupted it was user code that it ran
    var _ = Thread.interrupted();
    try {
      trySend(pass, number, value);
      return true;
    } catch (HoldfastInterruptedException e) {
      check.run();
      return false;
    } catch (AcquireTimeoutException e) {
      checkWaiting();
      noSpace.accept(e);
      return false;
    } catch (IOException | RuntimeException e) {
      check.run(); // the encoder wraps what ended a wait inside it
      throw e;
    }
  }

  private void trySend(long pass, long number, @Nullable Object value) throws IOException {
    boolean sent = false;
    ArenaWriter arena = writer;
    try {
      if (arena != null) {
        arena.beginUnit();
        sendWait.over();
      }
      EncodedItem encoded = encoder.encode(value, arena);
      requireChannel();
      try {
        publish(pass, number, encoded.bytes(), arena);
        sent = true;
      } finally {
        if (!sent) {
          sender.cancel();
        }
        channel.release();
      }
    } finally {
      if (sent) {
        encoder.sent();
      } else {
        encoder.dropped();
        if (arena != null) {
          arena.abortUnit();
        }
      }
    }
  }

  private void publish(long pass, long number, MemorySegment body, @Nullable ArenaWriter arena) {
    if (arena == null) {
      sender.prepare(MessageKind.INPUT, pass, number, body, 0, true, waitingCheck);
      sender.publish();
    } else {
      sender.prepare(
          MessageKind.UNIT_INPUT, pass, number, body, UnitReceipt.BYTES, true, waitingCheck);
      sender.publish(arena.commitUnit());
    }
  }

  /** The lane may have been closed while user code wrote the input. */
  private void requireChannel() {
    if (!channel.retain()) {
      throw new Stopped();
    }
  }

  /** Says that a pass has no more inputs. */
  void sendEnd(long pass) {
    requireChannel();
    try {
      while (!hasSentEnd(pass)) {
        check.run();
      }
    } finally {
      sendWait.over();
      channel.release();
    }
  }

  private boolean hasSentEnd(long pass) {
    var _ = Thread.interrupted();
    try {
      sender.send(MessageKind.INPUTS_END, pass, 0, NOTHING, waitingCheck);
      return true;
    } catch (HoldfastInterruptedException e) {
      return false;
    }
  }
}
