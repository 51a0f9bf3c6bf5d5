package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** Of two notes who holds a segment either may stay, but never a mixture. */
@JCStressTest
@Outcome(
    id = {"-1", "4294967296"},
    expect = Expect.ACCEPTABLE,
    desc = "one of the notes")
@Outcome(expect = Expect.FORBIDDEN, desc = "halves of two notes")
@State
public class HoldingWord extends Words {
  @Actor
  public void one() {
    words.setHoldingRelease(0, -1);
  }

  @Actor
  public void other() {
    words.setHoldingRelease(0, 1L << 32);
  }

  @Arbiter
  public void after(J_Result result) {
    result.r1 = words.holdingAcquire(0);
  }
}
