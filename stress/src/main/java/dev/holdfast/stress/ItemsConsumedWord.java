package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.ChannelSender;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/**
 * {@code itemsConsumed} is stored before {@code consumed}: a producer that finds the room of an
 * item free finds the item counted too.
 */
@JCStressTest
@Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "not read yet")
@Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "counted, its room not free yet")
@Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "its room is free, and it is counted")
@Outcome(id = "true, 0", expect = Expect.FORBIDDEN, desc = "its room is free, and nobody counts it")
@State
public class ItemsConsumedWord {
  /** As drawn in the layout of a channel's words. */
  private static final long ITEMS_CONSUMED = 256;

  private final SegmentWords words = Channels.wordsOnTheHeap();
  private final Channel channel = Channels.over(words);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);

  public ItemsConsumedWord() {
    ChannelSender sender = new ChannelSender(channel, 1);
    sender.prepare(1, 0, 0, MemorySegment.NULL, 0, true, () -> {});
    sender.publish();
  }

  @Actor
  public void consumer() {
    var _ = receiver.poll();
  }

  @Actor
  public void producer(ZJ_Result result) {
    result.r1 = channel.isEmpty();
    result.r2 = words.getAcquire(ITEMS_CONSUMED);
  }
}
