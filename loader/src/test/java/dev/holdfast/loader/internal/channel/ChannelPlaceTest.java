package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.internal.memory.SegmentWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The words of several directions lie in one memory, each behind its base. */
final class ChannelPlaceTest {
  private static final int BASE = 2048;

  private final MemorySegment memory =
      Arena.ofAuto().allocate(BASE + 2 * ChannelLayout.WORDS_BYTES, 4096);
  private final Channel channel =
      new Channel(
          "test",
          new SegmentWords(memory),
          BASE,
          MemorySegment.ofArray(new byte[1024]),
          Presence.ALWAYS);
  private final ChannelSender sender = new ChannelSender(channel, 1);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);

  /** Has a record cross while both sides wait, and takes their announcements back. */
  private void cross() {
    channel.consumerWaiting().announce(1);
    sender.send(1, 0, 0, MemorySegment.NULL, () -> {});
    channel.consumerWaiting().announce(0);
    channel.producerWaiting().announce(1);
    assertTrue(receiver.poll());
    channel.producerWaiting().announce(0);
  }

  @Test
  void everyWordLiesWhereTheLayoutSaysBehindTheBase() {
    cross();
    List<Long> written = new ArrayList<>();
    for (long at = 0; at < memory.byteSize(); at += 8) {
      if (memory.get(Frame.LONG, at) != 0) {
        written.add(at - BASE);
      }
    }
    assertEquals(
        List.of(
            ChannelLayout.PUBLISHED,
            ChannelLayout.CONSUMED,
            ChannelLayout.DATA_SIGNAL,
            ChannelLayout.SPACE_SIGNAL),
        written);
    channel.consumerWaiting().announce(1);
    assertEquals(1, memory.get(Frame.LONG, BASE + ChannelLayout.CONSUMER_WAITING));
    channel.producerWaiting().announce(1);
    assertEquals(1, memory.get(Frame.LONG, BASE + ChannelLayout.PRODUCER_WAITING));
  }
}
