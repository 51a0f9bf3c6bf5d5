package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;

/** What a ticket knows and the unit's bytes are stored before {@code sealed}. */
@JCStressTest
@Outcome(id = "1, 8, 3, 7", expect = Expect.ACCEPTABLE, desc = "sealed with all that belongs to it")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not sealed yet")
@Outcome(expect = Expect.FORBIDDEN, desc = "sealed without something")
@State
public class SealedWord extends Words {
  @Actor
  public void writer() {
    fill(7);
    words.setSealedSpanRelease(0, 8);
    words.setSealedKeyRelease(0, 3);
    words.setSealedSinceRelease(0, 4);
    words.setSealedRelease(0, 1);
  }

  @Actor
  public void reader(JJJJ_Result result) {
    result.r1 = words.sealedAcquire(0);
    if (result.r1 == 1) {
      result.r2 = words.sealedSpanAcquire(0);
      result.r3 = words.sealedKeyAcquire(0);
      result.r4 = payload();
    }
  }
}
