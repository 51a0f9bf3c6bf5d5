package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.Trouble;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes of what a worker says what goes on in the place of its inputs. What it says of inputs that
 * are not here any more is dropped.
 *
 * @param book the lane's book
 * @param lastStage the name of the last stage inside, whose results cross
 */
record Reading(LaneBook book, String lastStage) {

  /**
   * Reads an answer.
   *
   * @param content the result that came with it, or null
   * @param failure why the result could not cross, or null
   */
  List<Delivery> of(
      Answers answers, @Nullable Content content, @Nullable RuntimeException failure) {
    List<Delivery> made = new ArrayList<>(1);
    for (Answers.Reported reported : answers.troubles()) {
      Input input = book.find(reported.input());
      if (input != null) {
        made.add(new Delivery.Failure(input, trouble(input, reported)));
      }
    }
    Input first =
        answers.inputs().stream().map(book::find).filter(Objects::nonNull).findFirst().orElse(null);
    if (first == null) {
      if (content != null) {
        content.discard();
      }
      return made;
    }
    if (failure != null) {
      made.add(
          new Delivery.Failure(
              first, new Trouble(lastStage, first.cell.index(), first.text(), failure, false)));
    }
    if (content != null) {
      made.add(
          new Delivery.Result(
              first, new Cell.Item(first.epoch(), first.cell.index(), content, List.of())));
    }
    return made;
  }

  private static Trouble trouble(Input input, Answers.Reported reported) {
    RuntimeException thrown =
        reported
            .failure()
            .toException(
                "a stage failed in the worker",
                detail -> detail.with("stage", reported.stage()).with("index", input.cell.index()));
    if (reported.always()) {
      FailureDetail detail =
          reported.failure().detail() == null
              ? FailureDetail.of("an item failed in a stage").with("stage", reported.stage())
              : reported.failure().detail();
      thrown = new StageFailedException(detail.with("index", input.cell.index()), thrown);
    }
    return new Trouble(
        reported.stage(), input.cell.index(), reported.item(), thrown, reported.always());
  }
}
