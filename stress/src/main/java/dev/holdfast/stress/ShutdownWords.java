package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Each side has its own word of shutdown, and whoever shut down sees it at once. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "down for both")
@Outcome(expect = Expect.FORBIDDEN, desc = "a shutdown is lost")
@State
public class ShutdownWords extends Words {
  @Actor
  public void owner(ZZZ_Result result) {
    words.setShutdownVolatile(true, true);
    result.r1 = words.shutdownVolatile();
  }

  @Actor
  public void peer(ZZZ_Result result) {
    words.setShutdownVolatile(false, true);
    result.r2 = words.shutdownVolatile();
  }

  @Arbiter
  public void after(ZZZ_Result result) {
    result.r3 = words.shutdownVolatile();
  }
}
