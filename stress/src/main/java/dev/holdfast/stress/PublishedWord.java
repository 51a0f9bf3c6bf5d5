package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** {@code published} is stored behind the unit's bytes and read before them. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "published with its bytes")
@Outcome(expect = Expect.FORBIDDEN, desc = "published without its bytes")
@State
public class PublishedWord extends Words {
  @Actor
  public void writer() {
    fill(7);
    words.setPublishedRelease(1);
  }

  @Actor
  public void reader(JJ_Result result) {
    result.r1 = words.publishedAcquire();
    result.r2 = result.r1 == 0 ? 0 : payload();
  }
}
