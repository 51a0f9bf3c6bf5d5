package dev.holdfast.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Where a generation begins is stored before the generation. */
@JCStressTest
@Outcome(id = "1, 5, 50", expect = Expect.ACCEPTABLE, desc = "a generation with its beginning")
@Outcome(id = "0, .*, .*", expect = Expect.ACCEPTABLE, desc = "the former generation is on")
@Outcome(expect = Expect.FORBIDDEN, desc = "a generation without its beginning")
@State
public class GenerationWord extends Words {
  @Actor
  public void owner() {
    words.setGenerationHeadRelease(50);
    words.setGenerationRelease(1, 5);
  }

  @Actor
  public void reader(JJJ_Result result) {
    result.r1 = words.generationAcquire();
    result.r2 = words.generationStartAcquire();
    result.r3 = words.generationHeadAcquire();
  }
}
