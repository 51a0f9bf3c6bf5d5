package dev.holdfast.stress;

import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.ChannelSender;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A channel's {@code published} and {@code consumed} around the bytes of a record: a record is seen
 * whole or not at all, and its room is free when it was read.
 */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "9, 7, 1", expect = Expect.ACCEPTABLE, desc = "there with its bytes")
@Outcome(expect = Expect.FORBIDDEN, desc = "a record without its bytes, or one that is lost")
@State
public class ChannelWords {
  private static final MemorySegment BODY = MemorySegment.ofArray(new byte[] {7, 7, 7, 7, 7});

  private final Channel channel = Channels.over(Channels.wordsOnTheHeap());
  private final ChannelSender sender = new ChannelSender(channel, 1);
  private final ChannelReceiver receiver = new ChannelReceiver(channel);

  @Actor
  public void producer() {
    sender.send(1, 9, 0, BODY, () -> {});
  }

  @Actor
  public void consumer(JJJ_Result result) {
    receive(result);
  }

  @Arbiter
  public void after(JJJ_Result result) {
    JJJ_Result late = new JJJ_Result();
    boolean again = receive(late);
    result.r3 = again != (result.r1 == 9) && channel.isEmpty() ? 1 : 0;
  }

  private boolean receive(JJJ_Result result) {
    boolean there = receiver.poll();
    if (there) {
      result.r1 = receiver.one();
      MemorySegment body = receiver.body();
      result.r2 =
          body.byteSize() == BODY.byteSize() && body.mismatch(BODY) < 0
              ? body.get(ValueLayout.JAVA_BYTE, 0)
              : -1;
    }
    return there;
  }
}
