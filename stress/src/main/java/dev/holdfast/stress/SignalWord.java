package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.ArenaLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@code spaceSignal} is bumped by several threads of the reader's process. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both bumps count")
@Outcome(expect = Expect.FORBIDDEN, desc = "a bump is lost")
@State
public class SignalWord extends Words {
  @Actor
  public void one() {
    words.signalSpace();
  }

  @Actor
  public void other() {
    words.signalSpace();
  }

  @Arbiter
  public void after(I_Result result) {
    result.r1 = shared.getIntVolatile(ArenaLayout.SPACE_SIGNAL_OFFSET);
  }
}
