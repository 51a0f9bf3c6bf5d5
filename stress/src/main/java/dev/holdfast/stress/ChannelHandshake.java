package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.arena.internal.memory.WaitWord;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.ChannelSender;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A consumer says by {@code consumerWaiting} that it waits and then looks at {@code published}; the
 * producer bumps {@code dataSignal} when it sees the announcement behind its record. The other
 * direction of the handshake is the same code with {@code consumed}, {@code producerWaiting} and
 * {@code spaceSignal}.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen and woken")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "seen before the wait")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a wait that nobody ends")
@State
public class ChannelHandshake {
  /** As drawn in the layout of a channel's words. */
  private static final long DATA_SIGNAL = 384;

  private static final long CONSUMER_WAITING = 512;

  private final SegmentWords words =
      new SegmentWords(Arena.ofAuto().allocate(ChannelLayout.WORDS_BYTES, 128)); // to be woken at
  private final Channel channel = Channels.over(words);
  private final ChannelSender sender = new ChannelSender(channel, 1);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);

  @Actor
  public void consumer(ZZ_Result result) {
    words.setIntVolatile(CONSUMER_WAITING, WaitWord.number(0));
    result.r1 = receiver.ready();
  }

  @Actor
  public void producer(ZZ_Result result) {
    sender.send(1, 9, 0, MemorySegment.NULL, () -> {});
    result.r2 = words.getIntVolatile(DATA_SIGNAL) != 0;
  }
}
