package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.internal.parent.Arrival;
import dev.holdfast.loader.internal.parent.Failures;
import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Content;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what a lane's worker says, pass after pass. The receiving thread's alone.
 *
 * <p>When the worker dies, every complete result was taken before. Then the worker is replaced, or
 * the pipeline fails.
 */
final class LaneReceiver {
  private final RegionNode node;
  private final LaneBook book;
  private final LaneProcess process;
  private final LaneArenas arenas;
  private final LaneFigures figures;
  private final Settlement settlement;
  private final Replacement replacement;
  private final Reading reading;
  private final Silence silence;
  private final Pace pace = new Pace();
  private final Announced announced = new Announced();

  private @Nullable WorkerTimeoutException silent; // why the worker was ended

  LaneReceiver(
      RegionNode node,
      LaneBook book,
      LaneProcess process,
      LaneArenas arenas,
      LaneFigures figures,
      Settlement settlement,
      Replacement replacement,
      Silence silence) {
    this.node = node;
    this.book = book;
    this.process = process;
    this.arenas = arenas;
    this.figures = figures;
    this.settlement = settlement;
    this.replacement = replacement;
    this.silence = silence;
    this.reading = new Reading(book, node.step.steps().getLast().name());
  }

  /** What an arrival means for the pass. */
  private record Course(boolean over, @Nullable WorkerDiedException death) {
    private static final Course GOES_ON = new Course(false, null);
    private static final Course ENDED = new Course(true, null);
  }

  /** Receives one pass after the other; ends by what it throws. */
  void receiveAll() {
    while (true) {
      WorkerDiedException death = untilEnd(book.awaitPass());
      if (death != null) {
        replacement.replace(death, this::untilEnd);
      }
    }
  }

  /** Receives until a pass is over; returns the worker's death if that ended it. */
  private @Nullable WorkerDiedException untilEnd(PassState open) {
    announced.clear();
    while (true) {
      Course course = accept(process.current().next(open));
      if (course.over()) {
        return course.death() == null ? null : explained(course.death());
      }
    }
  }

  /** A worker that was ended because it hung has not died by itself. */
  private WorkerDiedException explained(WorkerDiedException death) {
    WorkerTimeoutException reason = silent;
    silent = null;
    return reason == null
        ? death
        : new WorkerDiedException(
            death.detail().with("endedBecause", reason.detail().what()).advise(reason.advice()),
            reason);
  }

  private Course accept(Arrival arrival) {
    boolean left = node.epochs.isCancelled(book.passEpoch());
    try {
      return left ? acceptLeft(arrival) : acceptWanted(arrival);
    } catch (ArenaCorruptedException e) {
      throw node.failed(book.passEpoch(), e); // nothing that this worker says can be believed
    }
  }

  private Course acceptWanted(Arrival arrival) {
    if (!(arrival instanceof Arrival.Failure)) {
      silence.broken();
    }
    switch (arrival) {
      case Arrival.Answer(var bytes) -> acceptAnswer(Answers.decode(bytes));
      case Arrival.Item item -> acceptItem(new Content.Unopened(process.current().parcel(item)));
      case Arrival.Failure(var failure) -> acceptFailure(failure);
      case Arrival.End _ -> {
        endPass();
        return Course.ENDED;
      }
      case Arrival.Lasting(var failure) -> {
        node.requireGoing();
        if (failure instanceof WorkerDiedException death && node.replacesWorkers()) {
          return new Course(true, death);
        }
        throw node.failed(book.passEpoch(), failure);
      }
    }
    return Course.GOES_ON;
  }

  /** Takes what still comes of a pass that was left; a death is dealt with all the same. */
  private Course acceptLeft(Arrival arrival) {
    switch (arrival) {
      case Arrival.Item item -> process.current().parcel(item).discard();
      case Arrival.Lasting(var failure)
          when failure instanceof WorkerDiedException death && node.replacesWorkers() -> {
        return new Course(true, death);
      }
      case Arrival.Lasting _, Arrival.End _ -> {
        settlement.forgetUnwanted();
        var _ = book.passEnded();
        return Course.ENDED;
      }
      case Arrival.Answer _, Arrival.Failure _ -> {
        // of no interest any more
      }
    }
    return Course.GOES_ON;
  }

  private void acceptAnswer(Answers answers) {
    if (!answers.figures().isEmpty()) {
      figures.update(answers.figures());
    }
    if (!announced.heard(answers)) {
      settle(answers, null, null);
    }
  }

  private void acceptItem(Content content) {
    if (!announced.isThere()) {
      content.discard();
    }
    settle(announced.take(), content, null);
  }

  private void settle(
      Answers answers, @Nullable Content content, @Nullable RuntimeException failure) {
    List<Delivery> made = reading.of(answers, content, failure);
    for (Delivery delivery : made) {
      if (delivery instanceof Delivery.Failure(_, var trouble)) {
        requireArenas(trouble.thrown());
      }
    }
    settlement.deliver(book.answered(made, answers.inputs(), answers.done()));
  }

  /** An item that has failed for want of an arena is none to be dropped. */
  private void requireArenas(Throwable thrown) {
    RuntimeException lost = arenas.lost(thrown);
    if (lost != null) {
      throw node.failed(book.passEpoch(), lost);
    }
  }

  private void acceptFailure(RuntimeException failure) {
    switch (failure) {
      case AcquireTimeoutException e -> {
        silence.broken();
        node.host.complain(e);
        pace.keep(); // the worker tries again at once when it is asked to
      }
      case WorkerTimeoutException e -> {
        if (silence.isTooLong()) {
          endSilence(e);
        }
      }
      default -> {
        if (!announced.isThere()) {
          throw node.failed(book.passEpoch(), failure);
        }
        settle(announced.take(), null, failure);
      }
    }
  }

  private void endSilence(WorkerTimeoutException failure) {
    if (!node.replacesWorkers()) {
      throw node.failed(book.passEpoch(), failure);
    }
    silent = failure;
    process.current().kill();
  }

  /** The end mark goes on when no input is left in the book, so what it is owed stays there. */
  private void endPass() {
    announced.requireNone("the end of a pass came instead of a result");
    int owed = book.passEnded().size();
    if (owed > 0) {
      throw Failures.brokenProtocol("a pass ended without an answer", "unanswered", owed, 0);
    }
  }
}
