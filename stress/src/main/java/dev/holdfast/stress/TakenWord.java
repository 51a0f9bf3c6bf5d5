package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** {@code taken} is stored before the unit is given back, so that nobody takes a ticket again. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing yet")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "taken and not given back")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "taken and given back")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "given back and not taken")
@State
public class TakenWord extends Words {
  @Actor
  public void reader() {
    words.setTakenRelease(0, 1);
    words.setReclaimedVolatile(1);
  }

  @Actor
  public void nextReader(JJ_Result result) {
    result.r1 = words.reclaimedAcquire();
    result.r2 = words.takenAcquire(0);
  }
}
