package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Leftovers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
@Timeout(120)
final class CellProcessTest {
  @Test
  void aCellThatTakesTooLongIsEndedAndNoOtherBegins() {
    CellProcess process = new CellProcess(System.err, false, Duration.ofSeconds(3));
    CellSpec endless = endless();

    CellFailedException ended = assertThrows(CellFailedException.class, () -> process.run(endless));
    assertTrue(ended.getMessage().startsWith("the cell took too long"), ended.getMessage());
    assertEquals("pool bytes 8B", ended.facts().get("cell"));
    long given = (long) ended.facts().get("longestMillis");
    assertTrue(given > 0 && given <= 3_000, ended.getMessage());

    CellFailedException late = assertThrows(CellFailedException.class, () -> process.run(endless));
    assertTrue(late.getMessage().startsWith("no time is left"), late.getMessage());
    assertEquals(3_000L, late.facts().get("longestMillis"));
  }

  /** Passes that no machine is done with in an hour. */
  private static CellSpec endless() {
    return new Bench(
            List.of("pool"),
            List.of(Payload.BYTES),
            List.of(8L),
            List.of(CellSpec.Measure.THROUGHPUT),
            ViewScope.CONFINED,
            2_000_000_000,
            9,
            4,
            0,
            false,
            Codec.COMPACT)
        .cells()
        .getFirst();
  }
}
