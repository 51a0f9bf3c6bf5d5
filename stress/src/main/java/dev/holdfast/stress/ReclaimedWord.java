package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * {@code tail} is stored before {@code reclaimed}, and a writer that sees them overwrites nothing
 * that the reader has still to read.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not given back yet")
@Outcome(id = "0, 0, 8", expect = Expect.ACCEPTABLE, desc = "the tail first")
@Outcome(id = "0, 1, 8", expect = Expect.ACCEPTABLE, desc = "given back, and read before that")
@Outcome(expect = Expect.FORBIDDEN, desc = "overwritten while it was read, or no tail")
@State
public class ReclaimedWord extends Words {
  @Actor
  public void reader(JJJ_Result result) {
    result.r1 = payload();
    words.setTailVolatile(8);
    words.setReclaimedVolatile(1);
  }

  @Actor
  public void writer(JJJ_Result result) {
    result.r2 = words.reclaimedVolatile();
    result.r3 = words.tailVolatile();
    if (result.r2 == 1) {
      fill(9);
    }
  }
}
