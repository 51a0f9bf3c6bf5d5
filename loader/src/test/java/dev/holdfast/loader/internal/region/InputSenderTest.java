package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.Presence;
import dev.holdfast.loader.internal.pipeline.Stopped;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** One thread plays both ends: the sender's check, which runs while it waits, reads. */
final class InputSenderTest {
  private static final int CHANNEL_BYTES = 4096;

  private final Memory memory = new Memory();
  private final Channel channel =
      new Channel(
          "inputs",
          new HeapWords(ChannelLayout.WORDS_BYTES),
          0,
          MemorySegment.ofArray(new byte[CHANNEL_BYTES]),
          memory);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);
  private final SendWait sendWait = new SendWait();

  private static final class Memory implements Presence {
    private boolean gone;
    private int users;

    @Override
    public boolean retain() {
      users += gone ? 0 : 1;
      return !gone;
    }

    @Override
    public void release() {
      users--;
    }
  }

  private InputSender sender(Runnable check) {
    return new InputSender(
        channel,
        ItemCodec.standard().newEncoder(),
        null,
        sendWait,
        check,
        problem -> {
          throw problem;
        });
  }

  @Test
  void inputThatDoesNotFitIsWaitedForUntilTheWorkerReads() throws Exception {
    int[] looks = {0};
    boolean[] arrived = {false};
    long[] longest = {0};
    InputSender sender =
        sender(
            () -> {
              longest[0] = Math.max(longest[0], sendWait.nanos());
              if (++looks[0] > 3) { // before it begins, and in two slices of a wait
                arrived[0] |= receiver.poll();
              }
            });
    sender.send(7, 1, new byte[5 * CHANNEL_BYTES]);
    assertTrue(longest[0] > 0, "the wait was seen");
    assertEquals(0, sendWait.nanos(), "and is over");
    while (!arrived[0]) {
      arrived[0] = receiver.poll();
    }
    assertEquals(7, receiver.one());
    sender.sendEnd(7);
    assertTrue(receiver.poll());
    assertEquals(0, memory.users);
  }

  @Test
  void waitThatIsGivenUpLeavesNothingOfTheInput() {
    int[] looks = {0};
    InputSender sender =
        sender(
            () -> {
              if (++looks[0] > 2) {
                throw new LostWorker();
              }
            });
    assertThrows(LostWorker.class, () -> sender.send(7, 1, new byte[5 * CHANNEL_BYTES]));
    assertEquals(0, sendWait.nanos());
    assertFalse(receiver.poll());
    assertEquals(0, memory.users);
  }

  /** Takes so long to be written that the lane is closed meanwhile. */
  private static final class Slow implements Serializable {
    private static final long serialVersionUID = 1L;

    private final transient Memory memory;

    Slow(Memory memory) {
      this.memory = memory;
    }

    private Object writeReplace() {
      memory.gone = true;
      return "slow";
    }
  }

  @Test
  void channelThatWasGivenUpWhileAnInputWasWrittenIsNotTouched() {
    assertThrows(Stopped.class, () -> sender(() -> {}).send(7, 1, new Slow(memory)));
    assertThrows(Stopped.class, () -> sender(() -> {}).sendEnd(7));
    assertTrue(channel.isEmpty());
    assertEquals(0, memory.users);
  }
}
