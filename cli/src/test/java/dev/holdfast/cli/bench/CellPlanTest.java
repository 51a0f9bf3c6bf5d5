package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class CellPlanTest {
  @Test
  void passesHaveTheLengthThatWasAnnouncedAndRoundTripsFollow() {
    try (PassBoard board = new PassBoard()) {
      CellSpec cell =
          SpecFixture.spec(Payload.BUFFER, 1000, 0, CellSpec.Measure.THROUGHPUT)
              .withLength(board.length());
      assertEquals(new PassPlan(0, 10, Stamped.EVERY_WORD, 0), cell.plan(0));

      board.announce(77);
      for (int pass = CellSpec.REHEARSAL; pass <= cell.memoryPass(); pass++) {
        assertEquals(new PassPlan(pass, 77, Stamped.SAMPLES, 0), cell.plan(pass));
      }
      assertEquals(12, cell.memoryPass());
      assertEquals(1, cell.plan(13).items());
      assertEquals(1, cell.plan(5000).items());
    }
  }

  @Test
  void besideBusyThreadsThereAreTwoMorePassesBeforeTheTimedOnes() {
    CellSpec cell = SpecFixture.besideBusyThreads(2);
    assertEquals(20, cell.plan(CellSpec.REHEARSAL).items());
    assertEquals(5, cell.plan(CellSpec.AMONG_BUSY_THREADS).items());
    assertEquals(20, cell.plan(CellSpec.SECOND_REHEARSAL).items());
    assertEquals(11, cell.firstTimed());
    assertEquals(5, cell.plan(cell.firstTimed()).items());
    assertEquals(14, cell.memoryPass());
  }

  @Test
  void aCellOfRoundTripsHasNothingElseBehindTheRehearsal() {
    CellSpec cell = SpecFixture.spec(Payload.BUFFER, 0, 5, CellSpec.Measure.LATENCY);
    assertEquals(20, cell.plan(CellSpec.REHEARSAL).items());
    assertEquals(1, cell.plan(cell.firstTimed()).items());
  }
}
