package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.WaitWord;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A writer says by {@code writerWaiting} that it waits and then looks at {@code reclaimed}; a
 * reader stores {@code reclaimed}, bumps {@code spaceSignal} and then looks whether the writer
 * waits.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "seen and woken")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "seen before the wait")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "a wait that nobody ends")
@State
public class WaitingHandshake extends Words {
  @Actor
  public void writer(ZZ_Result result) {
    int seen = shared.getIntVolatile(ArenaLayout.SPACE_SIGNAL_OFFSET);
    words.setWriterWaitingVolatile(WaitWord.number(seen));
    result.r1 =
        words.reclaimedVolatile() == 1
            || shared.getIntVolatile(ArenaLayout.SPACE_SIGNAL_OFFSET) != seen;
  }

  @Actor
  public void reader(ZZ_Result result) {
    words.setReclaimedVolatile(1);
    var _ = shared.getAndAddInt(ArenaLayout.SPACE_SIGNAL_OFFSET, 1);
    result.r2 = words.writerWaitingVolatile();
  }
}
