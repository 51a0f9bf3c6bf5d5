package dev.holdfast.loader.internal.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TimedResultsTest {
  private final Epochs epochs = new Epochs();
  private final Cell.Item item = new Cell.Item(1, 0, new Content.Value("item"), List.of());

  private TimedResults resultsOf(Cell... cells) {
    Operator operator = _ -> List.of(cells).iterator();
    return new TimedResults(operator, item, new StageFigures("stage", 1, 1), epochs);
  }

  @Test
  void resultThatWasPromisedComesAlsoWhenThePassIsLeftMeanwhile() {
    TimedResults results = resultsOf(item, item);
    assertTrue(results.hasNext());
    epochs.cancelUpTo(1);
    assertTrue(results.hasNext());
    assertEquals(item, results.next());
    assertFalse(results.hasNext());
  }

  @Test
  void passThatWasLeftHasNoResults() {
    epochs.cancelUpTo(1);
    assertFalse(resultsOf(item).hasNext());
  }
}
