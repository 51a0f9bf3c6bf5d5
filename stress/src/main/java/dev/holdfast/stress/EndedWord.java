package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A parent sets {@code ended} and bumps {@code dataSignal}; a worker reads the signal that it is
 * going to wait on, and then whether it is to end.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the bump to come ends its wait")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "it ends before the bump")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it ends behind the bump")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "a wait that nobody ends")
@State
public class EndedWord {
  /** As drawn in the layout of a channel's words. */
  private static final long DATA_SIGNAL = 384;

  /** Behind the words of the direction. */
  private static final long ENDED = ChannelLayout.WORDS_BYTES;

  private final SegmentWords words =
      new SegmentWords(Arena.ofAuto().allocate(ENDED + 128, 128)); // to be woken
  private final Channel channel = Channels.over(words);

  @Actor
  public void parent() {
    words.setIntVolatile(ENDED, 1);
    channel.nudgeConsumer();
  }

  @Actor
  public void worker(II_Result result) {
    result.r1 = words.getIntVolatile(DATA_SIGNAL);
    result.r2 = words.getIntVolatile(ENDED);
  }
}
