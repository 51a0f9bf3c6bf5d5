package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.Epochs;
import dev.holdfast.loader.internal.pipeline.Stopped;
import dev.holdfast.loader.internal.pipeline.Trouble;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.ProcessRegion;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a lane knows of its inputs, without a worker. */
final class LaneBookTest {
  private final LaneBook book = new LaneBook(new Epochs(), true, 1, () -> {});
  private int passes;

  private Input sent(long number) {
    Input input = taken(number);
    book.open(input, this::newPass);
    book.arrived(input);
    return input;
  }

  private Input taken(long number) {
    Input input = new Input(number, cell(number));
    book.add(input);
    return input;
  }

  private PassState newPass() {
    return new PassState(++passes);
  }

  private static Cell.Item cell(long number) {
    return new Cell.Item(1, number, new Content.Value(number), List.of());
  }

  private static Delivery result(Input input) {
    return new Delivery.Result(input, cell(input.number));
  }

  private static Delivery failure(Input input) {
    return new Delivery.Failure(
        input, new Trouble("stage", input.number, "item", new IllegalStateException(), false));
  }

  @Test
  void resultsOfSeveralInputsAreReadyWhenAllOfThemAreDone() {
    Input one = sent(1);
    Input two = sent(2);
    assertEquals(
        List.of(), book.answered(List.of(result(one)), List.of(1L, 2L), List.of(1L)).ready());
    Settled settled = book.answered(List.of(), List.of(), List.of(2L));
    assertEquals(List.of(result(one)), settled.ready());
    assertEquals(List.of(one, two), settled.finished());
  }

  // a failure that was seen before the worker died is seen again when its input is done again
  @Test
  void failuresOfADeadWorkerAreForgottenWithItsResults() {
    Input one = sent(1);
    Settled first = book.answered(List.of(failure(one)), List.of(), List.of());
    assertEquals(List.of(), first.ready());
    assertEquals(List.of(), book.died());
    book.open(one, this::newPass);
    Settled again = book.answered(List.of(failure(one)), List.of(), List.of(1L));
    assertEquals(1, again.ready().size());
    assertEquals(List.of(one), again.finished());
  }

  @Test
  void onlyWhoWasAloneAtItsSecondDeathIsToBlame() {
    Input one = sent(1);
    Input two = sent(2);
    assertEquals(List.of(), book.died());
    book.open(one, this::newPass);
    book.open(two, this::newPass);
    assertEquals(List.of(), book.died());
    book.open(one, this::newPass);
    assertEquals(List.of(one), book.died());
    assertEquals(3, book.deathsInRow());
    assertEquals(List.of(one, two), book.toDoAgain());
  }

  @Test
  void deathsCountInARowUntilAnAnswerComes() {
    Input poison = sent(1);
    for (int death = 1; death <= 20; death++) {
      var _ = book.died();
      assertEquals(death, book.deathsInRow());
    }
    var _ = book.answered(List.of(), List.of(), List.of());
    assertEquals(0, book.deathsInRow());
    for (int death = 1; death <= 20; death++) {
      book.open(poison, this::newPass);
      var _ = book.died();
      assertEquals(1, book.deathsInRow());
      var _ = book.answered(List.of(), List.of(), List.of());
    }
    assertEquals(16, ProcessRegion.workers(1).onWorkerDeath(OnWorkerDeath.RESTART).maxRestarts());
  }

  @Test
  void inputThatNeverReachedTheWorkerHasNoPartInItsDeath() {
    Input one = sent(1);
    book.notSent(one);
    Input two = taken(2);
    assertEquals(List.of(), book.died());
    assertEquals(List.of(), book.toDoAgain());
    assertEquals(0, one.deaths + two.deaths);
  }

  @Test
  void inputIsOpenedOnceAndByNobodyAfterItWasTakenOut() {
    Input one = sent(1);
    assertNull(book.open(one, this::newPass));
    Input two = taken(2);
    assertTrue(book.remove(two));
    assertFalse(book.remove(two));
    assertNull(book.open(two, this::newPass));
    assertEquals(1, passes);
  }

  /** A pass may be ended only when no input can come to another worker any more. */
  @Test
  void inputThatIsStillBeingSentHasNotArrived() {
    int[] looks = {0};
    LaneBook waiting =
        new LaneBook(
            new Epochs(),
            true,
            1,
            () -> {
              if (++looks[0] > 3) {
                throw new Stopped();
              }
            });
    Input one = new Input(1, cell(1));
    waiting.add(one);
    waiting.open(one, this::newPass);
    assertThrows(Stopped.class, waiting::awaitArrived);
    waiting.arrived(one);
    looks[0] = 0;
    waiting.awaitArrived();
    assertEquals(1, looks[0], "it has not waited");
  }

  @Test
  void whoMayWaitForInputsIsNotBusyUntilABatchIsWholeOrItsPassIsToEnd() {
    LaneBook collecting = new LaneBook(new Epochs(), false, 3, () -> {});
    for (long number = 1; number <= 2; number++) {
      arrivedIn(collecting, number);
    }
    assertEquals(0, collecting.busyNanos());
    collecting.inputsEnded();
    assertTrue(collecting.busyNanos() > 0, "it owes a shorter batch");
    var _ = collecting.passEnded();
    assertEquals(0, collecting.busyNanos());
    arrivedIn(collecting, 3);
    assertTrue(collecting.busyNanos() > 0, "its batch is whole");
  }

  private void arrivedIn(LaneBook collecting, long number) {
    Input input = new Input(number, cell(number));
    collecting.add(input);
    collecting.open(input, this::newPass);
    collecting.arrived(input);
  }

  @Test
  void whoHasAnsweredAllOwesTheEndOfItsPass() {
    Input one = sent(1);
    var _ = book.answered(List.of(), List.of(), List.of(1L));
    assertEquals(0, book.busyNanos());
    book.inputsEnded();
    assertTrue(book.busyNanos() > 0);
    assertEquals(List.of(), book.died());
    assertEquals(0, book.busyNanos());
    assertEquals(0, one.deaths);
  }
}
