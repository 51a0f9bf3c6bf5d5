package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.payload.Envelope;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.parent.Arrival;
import dev.holdfast.loader.internal.parent.Figures;
import dev.holdfast.loader.internal.parent.ReceivedParcel;
import dev.holdfast.loader.internal.parent.Restorer;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.Inlet;
import dev.holdfast.loader.internal.pipeline.Origin;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the inputs of one pass after the other out of the channel. For one thread at a time. Inputs
 * of passes that were left are given back; an input of a later pass ends this one and waits for its
 * own.
 */
final class InputInlet implements Inlet {
  private final ChannelReceiver receiver;
  private final @Nullable ArenaReader reader;
  private final ItemCodec.Decoder decoder;
  private final Restorer<@Nullable Object> restorer;

  // of the current pass
  private long pass;
  private Runnable check = () -> {};
  private boolean over = true;
  private boolean waiting; // the receiver's record belongs to a later pass

  InputInlet(Channel channel, @Nullable ArenaReader reader, ItemCodec.Decoder decoder) {
    this.receiver = new ChannelReceiver(channel);
    this.reader = reader;
    this.decoder = decoder;
    this.restorer = new Restorer<>(decoder, reader, new Figures());
  }

  /**
   * Begins a pass.
   *
   * @param number which
   * @param whileWaiting what it throws ends a wait
   */
  void begin(long number, Runnable whileWaiting) {
    pass = number;
    check = whileWaiting;
    over = false;
  }

  @Override
  public Cell take() {
    while (!over) {
      if (!waiting) {
        var _ = receiver.receive(Long.MAX_VALUE, check);
      }
      waiting = receiver.one() > pass;
      if (waiting || (receiver.kind() == MessageKind.INPUTS_END && receiver.one() == pass)) {
        over = true;
      } else if (receiver.kind() != MessageKind.INPUTS_END) {
        Cell.Item item = item();
        if (receiver.one() == pass) {
          return item;
        }
        item.content().discard();
      }
    }
    return new Cell.End(pass);
  }

  private Cell.Item item() {
    long number = receiver.two();
    MemorySegment body = receiver.body();
    @Nullable UnitReceipt receipt = null;
    if (receiver.kind() == MessageKind.UNIT_INPUT) {
      long recordBytes = body.byteSize() - UnitReceipt.BYTES;
      if (reader == null) {
        throw broken("an input has a unit, and there is no arena", "input", number);
      }
      if (recordBytes < 0) {
        throw broken("an input has no room for its receipt", "bytes", body.byteSize());
      }
      receipt = UnitReceipt.decode(body, recordBytes);
      body = body.asSlice(0, recordBytes);
    } else if (receiver.kind() != MessageKind.INPUT) {
      throw broken("an unknown message came instead of an input", "kind", receiver.kind());
    }
    Envelope envelope = decoder.register(body);
    if (reader != null && receipt != null) {
      reader.admit(receipt);
    }
    Arrival.Item arrival = new Arrival.Item(envelope, receipt, number);
    return new Cell.Item(
        pass,
        number,
        new Content.Unopened(new ReceivedParcel<>(this, restorer, arrival)),
        List.of(new Origin(number)));
  }

  private static ArenaCorruptedException broken(String what, String factName, long value) {
    return new ArenaCorruptedException(FailureDetail.of(what).with(factName, value));
  }
}
