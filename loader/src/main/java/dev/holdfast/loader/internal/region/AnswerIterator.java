package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Origin;
import dev.holdfast.loader.internal.pipeline.Trouble;
import dev.holdfast.loader.internal.worker.Answer;
import dev.holdfast.loader.internal.worker.RegionInputs;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One pass of a region's worker, on its main thread: what each cell that leaves the stages answers.
 * A result that is still unopened, or a batch of such, is open until the next one is asked for.
 */
final class AnswerIterator implements Iterator<Answer>, AutoCloseable {
  private static final long FIGURES_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final WorkerChain chain;
  private final long pass;
  private long figuresSent = System.nanoTime();
  private @Nullable Lease<@Nullable Object> open;
  private @Nullable Answer next;
  private boolean over;
  private boolean ended;

  AnswerIterator(WorkerChain chain, RegionInputs inputs) {
    this.chain = chain;
    this.pass = inputs.pass();
    chain.begin(pass);
  }

  @Override
  public boolean hasNext() {
    endOpen();
    while (next == null && !over) {
      next = answer(chain.next(pass));
    }
    return next != null;
  }

  @Override
  public Answer next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    Answer taken = next;
    next = null;
    return taken;
  }

  private @Nullable Answer answer(Cell cell) {
    return switch (cell) {
      case Cell.Item item -> result(item);
      case Cell.Dropped(_, var origins, var troubles) ->
          new Answer(
              Answers.encode(false, List.of(), done(origins), troubles, List.of()), false, null);
      case Cell.End _ -> {
        over = true;
        ended = true;
        yield new Answer(bytes(false, List.of()), false, null);
      }
      case Cell.Failed(_, var failure) -> throw failure;
    };
  }

  /** A batch of inputs is opened here, and what cannot be opened has failed. */
  private Answer result(Cell.Item item) {
    Lease<@Nullable Object> lease;
    try {
      lease = item.content().open(ViewScope.CONFINED);
    } catch (Exception | StackOverflowError e) {
      Trouble trouble =
          new Trouble(chain.lastStage(), item.index(), "input " + item.index(), e, false);
      return new Answer(
          Answers.encode(false, List.of(), done(item.origins()), List.of(trouble), List.of()),
          false,
          null);
    }
    open = lease;
    return new Answer(bytes(true, item.origins()), true, lease.item());
  }

  private MemorySegment bytes(boolean hasValue, List<Origin> origins) {
    boolean due = !hasValue || System.nanoTime() - figuresSent > FIGURES_NANOS;
    if (due) {
      figuresSent = System.nanoTime();
    }
    List<Long> inputs =
        origins.size() == 1
            ? List.of(origins.getFirst().number())
            : origins.stream().map(Origin::number).distinct().toList();
    return Answers.encode(
        hasValue, inputs, done(origins), List.of(), due ? chain.figures() : List.of());
  }

  private static List<Long> done(List<Origin> origins) {
    List<Long> done = new ArrayList<>(1);
    for (Origin origin : origins) {
      if (origin.left()) {
        done.add(origin.number());
      }
    }
    return done;
  }

  private void endOpen() {
    Lease<?> lease = open;
    if (lease != null && next == null) {
      open = null;
      lease.close();
    }
  }

  @Override
  public void close() {
    next = null;
    endOpen();
    if (!ended) {
      chain.leave(pass);
    }
  }
}
