package dev.holdfast.stress;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.memory.Claim;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Of two processes that claim a side one has it. */
@JCStressTest
@Outcome(id = "true, false, 11", expect = Expect.ACCEPTABLE, desc = "the first has it")
@Outcome(id = "false, true, 22", expect = Expect.ACCEPTABLE, desc = "the second has it")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, or nobody")
@State
public class ClaimWord extends Words {
  @Actor
  public void one(ZZJ_Result result) {
    result.r1 = words.compareAndSetClaim(Side.WRITER, Claim.FREE, 11);
  }

  @Actor
  public void other(ZZJ_Result result) {
    result.r2 = words.compareAndSetClaim(Side.WRITER, Claim.FREE, 22);
  }

  @Arbiter
  public void after(ZZJ_Result result) {
    result.r3 = words.claimVolatile(Side.WRITER);
  }
}
