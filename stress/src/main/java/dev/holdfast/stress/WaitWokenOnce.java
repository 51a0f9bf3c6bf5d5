package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.arena.internal.memory.WaitWord;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A side waits, goes on whatever it saw, and waits again; the other moves its counter twice and
 * wakes each wait once. The second wait must not be taken for the first, which was woken.
 */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "seen or woken")
@Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "a wait that nobody ends")
@State
public class WaitWokenOnce {
  private static final long SIGNAL = 0;
  private static final long WAITING = 128;
  private static final long COUNTER = 256;

  private final SegmentWords words =
      new SegmentWords(Arena.ofAuto().allocate(384, 128)); // outside the heap: a futex lies there
  private final WaitWord waiting = new WaitWord(words, WAITING, SIGNAL);
  private int seen;
  private boolean ready;

  /** Begins behind the signal whose number is woken each time. */
  public WaitWokenOnce() {
    words.setIntVolatile(SIGNAL, 5);
  }

  @Actor
  public void waiter() {
    begin(1);
    waiting.announce(WaitWord.NOBODY);
    begin(2);
  }

  private void begin(long count) {
    seen = words.getIntVolatile(SIGNAL);
    waiting.announce(WaitWord.number(seen));
    ready = words.getVolatile(COUNTER) >= count;
  }

  @Actor
  public void other() {
    for (int count = 1; count <= 2; count++) {
      words.setVolatile(COUNTER, count);
      waiting.signal();
    }
  }

  @Arbiter
  public void after(Z_Result result) {
    result.r1 = ready || words.getIntVolatile(SIGNAL) != seen;
  }
}
