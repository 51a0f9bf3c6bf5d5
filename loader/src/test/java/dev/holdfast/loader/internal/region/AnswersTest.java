package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.loader.internal.pipeline.ItemText;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Trouble;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker says beside its results. */
final class AnswersTest {
  private static final String LONG = "é".repeat(70_000);

  private static Answers crossed(List<Trouble> troubles, List<StageFigures.Snapshot> figures) {
    return Answers.decode(
        Answers.encode(true, List.of(1L, 2L), List.of(2L), troubles, figures)
            .toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void textsOfAnyLengthCross() {
    Trouble trouble = new Trouble(LONG, 7, LONG, new IllegalStateException("no"), true);
    Answers answers = crossed(List.of(trouble), List.of(new StageFigures(LONG, 3, 4).snapshot()));
    assertEquals(List.of(1L, 2L), answers.inputs());
    assertEquals(List.of(2L), answers.done());
    assertEquals(LONG, answers.troubles().getFirst().stage());
    assertEquals(LONG, answers.troubles().getFirst().item());
    assertEquals(LONG, answers.figures().getFirst().name());
    assertEquals(3, answers.figures().getFirst().concurrency());
  }

  @Test
  void longItemsAreShownInPart() {
    URI uri = URI.create("data:" + "a".repeat(100_000));
    assertEquals(203, ItemText.of(uri).length());
  }

  @Test
  void stagesOfOneNameAreToldApartByTheirPlace() {
    StageFigures first = new StageFigures("same", 1, 4);
    StageFigures second = new StageFigures("same", 2, 4);
    first.worked(10);
    second.worked(30);
    second.worked(30);
    List<StageFigures.Snapshot> worker = List.of(first.snapshot(), second.snapshot());
    List<StageFigures.Snapshot> both = LaneFigures.sum(worker, worker, StageFigures.Snapshot::plus);
    assertEquals(List.of(2, 4), both.stream().map(StageFigures.Snapshot::concurrency).toList());
    assertEquals(List.of(2L, 4L), both.stream().map(StageFigures.Snapshot::items).toList());
    LaneFigures lane = new LaneFigures();
    lane.update(worker);
    lane.keep();
    assertEquals(List.of(1L, 2L), lane.all().stream().map(StageFigures.Snapshot::items).toList());
    lane.update(worker);
    assertEquals(List.of(2L, 4L), lane.all().stream().map(StageFigures.Snapshot::items).toList());
    assertEquals(
        List.of(1, 2), lane.all().stream().map(StageFigures.Snapshot::concurrency).toList());
  }

  @Test
  void regionIsAsBusyAsTheBusiestStageInside() {
    StageFigures region = new StageFigures("region", 2, 4);
    region.worked(1_000_000);
    StageFigures slow = new StageFigures("slow", 4, 4);
    slow.worked(400);
    StageFigures fast = new StageFigures("fast", 2, 4);
    fast.worked(100);
    StageFigures.Snapshot busy =
        region.snapshot().busyAs(List.of(slow.snapshot(), fast.snapshot()));
    assertEquals(200, busy.busyNanos());
  }
}
