package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.Epochs;
import dev.holdfast.loader.internal.pipeline.Trouble;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a lane knows of its inputs, without a worker. */
final class LaneBookTest {
  private final LaneBook book = new LaneBook(new Epochs(), true, () -> {});
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
    LaneBook.Settled settled = book.answered(List.of(), List.of(), List.of(2L));
    assertEquals(List.of(result(one)), settled.ready());
    assertEquals(List.of(one, two), settled.finished());
  }

  // a failure that was seen before the worker died is seen again when its input is done again
  @Test
  void failuresOfADeadWorkerAreForgottenWithItsResults() {
    Input one = sent(1);
    LaneBook.Settled first = book.answered(List.of(failure(one)), List.of(), List.of());
    assertEquals(List.of(), first.ready());
    assertEquals(List.of(), book.died());
    book.open(one, this::newPass);
    LaneBook.Settled again = book.answered(List.of(failure(one)), List.of(), List.of(1L));
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

  // B201
  @Test
  void workerThatHadNothingToDoIsNotSilent() {
    Silence silence = new Silence(book, Optional.of(Duration.ofMillis(50)), null);
    long start = System.nanoTime();
    while (System.nanoTime() - start < 60_000_000) {
      Thread.onSpinWait();
    }
    assertFalse(silence.isTooLong(), "it has no input");
    Input input = sent(1);
    assertFalse(
        silence.isTooLong() && System.nanoTime() - input.arrivedNanos < 50_000_000,
        "it has had its input for a moment only");
    start = System.nanoTime();
    while (System.nanoTime() - start < 60_000_000) {
      Thread.onSpinWait();
    }
    assertTrue(silence.isTooLong());
    silence.broken();
    assertFalse(silence.isTooLong());
  }
}
