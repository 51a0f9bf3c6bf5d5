package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.Presence;
import java.lang.foreign.MemorySegment;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A channel's producer and consumer in every interleaving that the model checker tries: records
 * arrive once and in order, and an empty channel says so.
 */
public class ChannelModelTest {
  /** Room for two such records and no third one. */
  private static final int BODY_BYTES = 200;

  private static final int RECORD_BYTES = BODY_BYTES + 32;

  /** As drawn in the layout of a channel's words. */
  private static final long CONSUMED = 128;

  private final HeapWords words = new HeapWords(ChannelLayout.WORDS_BYTES);
  private final Channel channel =
      new Channel(
          "model",
          words,
          0,
          MemorySegment.ofArray(new byte[(int) Channel.LEAST_CAPACITY]),
          Presence.ALWAYS);
  private final ChannelSender sender = new ChannelSender(channel, 2);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);
  private final MemorySegment body = MemorySegment.ofArray(new byte[BODY_BYTES]);
  private int sent;

  /** Returns the number of the record, or -1 where it would have to wait. */
  @Operation(nonParallelGroup = "producer")
  public int send() {
    if ((sent + 1L) * RECORD_BYTES - words.getVolatile(CONSUMED) > Channel.LEAST_CAPACITY) {
      return -1;
    }
    sender.prepare(1, sent, 0, body, 0, true, ChannelModelTest::full);
    sender.publish();
    return sent++;
  }

  private static void full() {
    throw new AssertionError("there was room");
  }

  /** Returns the number of the next record, or -1 when there is none. */
  @Operation(nonParallelGroup = "consumer")
  public long receive() {
    return receiver.poll() ? receiver.one() : -1;
  }

  @Operation(nonParallelGroup = "consumer")
  public boolean isThereOne() {
    return receiver.ready();
  }

  @Test
  void everyInterleavingDeliversEachRecordOnceAndInOrder() {
    Interleavings.check(getClass(), new ModelCheckingOptions());
  }
}
