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

  private final ChannelSender sender;
  private final ItemCodec.Encoder encoder;
  private final @Nullable ArenaWriter writer;
  private final Runnable check;
  private final Consumer<RuntimeException> noSpace;
  private final Pace pace = new Pace();

  InputSender(
      Channel channel,
      ItemCodec.Encoder encoder,
      @Nullable ArenaWriter writer,
      Runnable check,
      Consumer<RuntimeException> noSpace) {
    this.sender = new ChannelSender(channel, Long.MAX_VALUE);
    this.encoder = encoder;
    this.writer = writer;
    this.check = check;
    this.noSpace = noSpace;
    if (writer != null) {
      writer.whileWaiting(check);
    }
  }

  /**
   * Sends an input. What the check throws ends it, and the input is not sent then.
   *
   * @throws IOException when it cannot cross
   */
  void send(long pass, long number, @Nullable Object value) throws IOException {
    check.run(); // it looks only while it waits, and a dead worker's channel may have room
    while (true) {
      // this thread is ours: whoever interrupted it was user code that it ran
      var _ = Thread.interrupted();
      try {
        trySend(pass, number, value);
        return;
      } catch (HoldfastInterruptedException e) {
        check.run();
      } catch (AcquireTimeoutException e) {
        check.run();
        noSpace.accept(e);
        pace.keep();
      } catch (IOException | RuntimeException e) {
        check.run(); // the encoder wraps what ended a wait inside it
        throw e;
      }
    }
  }

  private void trySend(long pass, long number, @Nullable Object value) throws IOException {
    boolean sent = false;
    ArenaWriter arena = writer;
    try {
      if (arena == null) {
        EncodedItem encoded = encoder.encode(value, null);
        sender.prepare(MessageKind.INPUT, pass, number, encoded.bytes(), 0, true, check);
        sender.publish();
      } else {
        arena.beginUnit();
        EncodedItem encoded = encoder.encode(value, arena);
        sender.prepare(
            MessageKind.UNIT_INPUT, pass, number, encoded.bytes(), UnitReceipt.BYTES, true, check);
        sender.publish(arena.commitUnit());
      }
      sent = true;
    } finally {
      if (sent) {
        encoder.sent();
      } else {
        sender.cancel();
        encoder.dropped();
        if (arena != null) {
          arena.abortUnit();
        }
      }
    }
  }

  /** Says that a pass has no more inputs. */
  void sendEnd(long pass) {
    while (true) {
      var _ = Thread.interrupted();
      try {
        sender.send(MessageKind.INPUTS_END, pass, 0, NOTHING, check);
        return;
      } catch (HoldfastInterruptedException e) {
        check.run();
      }
    }
  }
}
