package dev.holdfast.stress;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.memory.Claim;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Two sides that are claimed at once for different uses look at each other afterwards: the later
 * one sees the other.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "neither sees the other")
@Outcome(expect = Expect.ACCEPTABLE, desc = "one of them sees the other")
@State
public class ClaimUses extends Words {
  @Actor
  public void writer(JJ_Result result) {
    var _ = words.compareAndSetClaim(Side.WRITER, Claim.FREE, 1);
    result.r1 = words.claimVolatile(Side.READER);
  }

  @Actor
  public void reader(JJ_Result result) {
    var _ = words.compareAndSetClaim(Side.READER, Claim.FREE, 2);
    result.r2 = words.claimVolatile(Side.WRITER);
  }
}
