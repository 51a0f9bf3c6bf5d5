package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RehearsalTest {
  private static final int ITEMS = 20_000;

  private final List<Integer> lengths = new ArrayList<>();
  private final PassBoard board = new PassBoard();

  @AfterEach
  void closeTheBoard() {
    board.close();
  }

  @Test
  void passesGrowUntilThereWereEnoughItems() throws Exception {
    Rehearsal rehearsal = rehearse(ITEMS, 0, 1_000);

    assertEquals(List.of(4, 32, 256, 2048, 16_384, 1276, 1, 1), lengths);
    assertTrue(rehearsal.itemsPerSecond() > 1_000, "rate=" + rehearsal.itemsPerSecond());

    rehearsal.again();
    assertEquals(ITEMS, lengths.getLast());
  }

  @Test
  void fewItemsAreDoneInOnePassAndTheOthersHaveOne() throws Exception {
    var _ = rehearse(3, 0, 1_000);

    assertEquals(List.of(3, 1, 1, 1, 1, 1, 1, 1), lengths);
  }

  @Test
  void itemsThatAreSlowEndItWhenTheTimeIsUp() throws Exception {
    Rehearsal rehearsal = rehearse(ITEMS, 2, 0.3);

    int all = lengths.stream().mapToInt(Integer::intValue).sum();
    assertTrue(all >= 4 && all < 400, lengths.toString());
    assertEquals(CellSpec.REHEARSALS, lengths.size());
    assertTrue(rehearsal.itemsPerSecond() <= 500, "rate=" + rehearsal.itemsPerSecond());

    rehearsal.again();
    assertTrue(lengths.getLast() <= 150, lengths.toString());
  }

  private Rehearsal rehearse(int items, long millisPerItem, double longestSeconds)
      throws Exception {
    CellSpec cell = SpecFixture.rehearsing(items, board.length());
    CellPasses passes = new CellPasses(cell, new Slow(millisPerItem));
    passes.run(passes.plan());
    lengths.clear();
    Rehearsal rehearsal = new Rehearsal(passes, board::announce, longestSeconds);
    rehearsal.run();
    return rehearsal;
  }

  /** Items of which each takes its time. */
  private final class Slow implements Session {
    private final long millisPerItem;

    Slow(long millisPerItem) {
      this.millisPerItem = millisPerItem;
    }

    @Override
    public void pass(PassPlan plan, Consumer<Object> consumer) {
      lengths.add(plan.items());
      for (int unit = 0; unit < plan.items(); unit++) {
        Pause.millis(millisPerItem);
        consumer.accept(MemorySegment.NULL);
      }
    }

    @Override
    public OptionalLong producerPid() {
      return OptionalLong.empty();
    }

    @Override
    public void close() {}
  }
}
