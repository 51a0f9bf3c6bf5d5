package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** A ring's {@code head} is stored behind the bytes and before {@code published}. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "nothing yet")
@Outcome(id = "0, 8, 7", expect = Expect.ACCEPTABLE, desc = "bytes whose unit has no number yet")
@Outcome(id = "1, 8, 7", expect = Expect.ACCEPTABLE, desc = "all of it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a number without head, or a head without bytes")
@State
public class HeadWord extends Words {
  @Actor
  public void writer() {
    fill(7);
    words.setHeadRelease(8);
    words.setPublishedRelease(1);
  }

  @Actor
  public void reader(JJJ_Result result) {
    result.r1 = words.publishedAcquire();
    result.r2 = words.headAcquire();
    result.r3 = result.r2 == 0 ? 0 : payload();
  }
}
