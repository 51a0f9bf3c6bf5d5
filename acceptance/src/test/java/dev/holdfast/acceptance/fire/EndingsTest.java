package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Tally;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Short runs in a long-lived process: however they end, nothing of them piles up. */
@ExtendWith(Leftovers.class)
@Timeout(7200)
final class EndingsTest {
  /** Each ending once, and eleven times more: a tenth of all would take half a minute longer. */
  private static final int FEW = 72;

  // R104
  @Test
  void runsOfAWorkerLeaveNothingInTheirParentHoweverTheyEnd() {
    run(Rounds.of(2000, FEW), "worker");
  }

  // R104
  @Test
  void arenasOfOneProcessLeaveNothingHoweverTheyEnd() {
    run(Rounds.of(2000), "here");
  }

  private static void run(int runs, String where) {
    try (ChildJvm child =
        ChildJvm.of(EndingsMain.class)
            .jvmArgs("-Xms64m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:CICompilerCount=1")
            .environment("MALLOC_ARENA_MAX", "1") // or its size in the address space is random
            .args(String.valueOf(runs), where)
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(100));
      System.out.println(child.output());
    }
    Tally.ROUNDS.add(runs);
  }
}
