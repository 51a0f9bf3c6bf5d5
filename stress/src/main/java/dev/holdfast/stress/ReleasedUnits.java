package dev.holdfast.stress;

import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import java.util.UUID;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Units that are released at once all go back, whoever drains; {@code reclaimed} only grows. */
@JCStressTest
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "all are back")
@Outcome(expect = Expect.FORBIDDEN, desc = "a unit is lost")
@State
public class ReleasedUnits extends Words {
  private static final UUID ARENA = new UUID(1, 2);

  private final UnitLedger ledger = new UnitLedger(ARENA, words, new OneSegment(3), 0);
  private final UnitRecord first;
  private final UnitRecord second;
  private final UnitRecord third;

  public ReleasedUnits() {
    words.setPublishedRelease(3);
    first = taken(0);
    second = taken(1);
    third = taken(2);
  }

  private UnitRecord taken(long unit) {
    UnitRecord record = ledger.admit(new UnitReceipt(ARENA, 0, unit, 0));
    var _ = record.take();
    return record;
  }

  @Actor
  public void one() {
    second.retire();
    third.retire();
  }

  @Actor
  public void two() {
    first.retire();
  }

  @Arbiter
  public void after(JJ_Result result) {
    result.r1 = words.reclaimedAcquire();
    result.r2 = ledger.held();
  }
}
