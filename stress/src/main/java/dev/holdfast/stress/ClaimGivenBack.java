package dev.holdfast.stress;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.memory.Claim;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;

/** Whoever claims a writer's side that was given back finds all that was published before. */
@JCStressTest
@Outcome(id = "false, -1", expect = Expect.ACCEPTABLE, desc = "not given back yet")
@Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "claimed, with the last unit")
@Outcome(expect = Expect.FORBIDDEN, desc = "claimed, and a unit would be written twice")
@State
public class ClaimGivenBack extends Words {
  private static final long FORMER = 11;
  private static final long NEXT = 22;

  public ClaimGivenBack() {
    var _ = words.compareAndSetClaim(Side.WRITER, Claim.FREE, FORMER);
  }

  @Actor
  public void former() {
    words.setPublishedRelease(1);
    var _ = words.compareAndSetClaim(Side.WRITER, FORMER, Claim.FREE);
  }

  @Actor
  public void next(ZJ_Result result) {
    result.r1 = words.compareAndSetClaim(Side.WRITER, Claim.FREE, NEXT);
    result.r2 = result.r1 ? words.publishedAcquire() : -1;
  }
}
