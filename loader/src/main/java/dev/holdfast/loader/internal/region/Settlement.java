package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.internal.pipeline.CellQueue;
import dev.holdfast.loader.internal.pipeline.Trouble;

/**
 * Sends on what comes of a lane's inputs and says which of them are done with. For all threads of
 * the lane. May wait for the stages behind the region, so the book's lock is not held.
 */
final class Settlement {
  private final RegionNode node;
  private final LaneBook book;

  Settlement(RegionNode node, LaneBook book) {
    this.node = node;
    this.book = book;
  }

  /** Sends on what an answer has settled. */
  void deliver(Settled settled) {
    settled.dropped().forEach(Delivery::drop);
    settled.ready().forEach(this::deliver);
    settled.finished().forEach(this::finish);
  }

  private void deliver(Delivery delivery) {
    long number = delivery.input().number;
    switch (delivery) {
      case Delivery.Result(_, var cell) -> node.outcomes().deliver(number, cell);
      case Delivery.Failure(var input, var trouble) ->
          node.host.settle(input.cell, trouble).forEach(it -> node.outcomes().deliver(number, it));
    }
  }

  private void finish(Input input) {
    node.figures.worked(Math.max(1, input.doneNanos - input.sentNanos));
    input.opened = null;
    node.outcomes().done(input.number);
  }

  /**
   * Ends an input that failed outside of the worker's stages.
   *
   * @param always whether the pass ends whatever the policy says
   */
  void fail(Input input, String item, Throwable thrown, boolean always) {
    if (book.remove(input)) {
      node.figures.failed();
      Trouble trouble = new Trouble(node.step.name(), input.cell.index(), item, thrown, always);
      deliver(new Delivery.Failure(input, trouble));
      finish(input);
    }
  }

  /** Ends an input that nobody wants any more. */
  void forget(Input input) {
    if (book.remove(input)) {
      dropUnopened(input);
      node.outcomes().done(input.number);
    }
  }

  /** Ends all inputs of passes that were left. */
  void forgetUnwanted() {
    book.unwanted().forEach(this::forget);
  }

  /** Ends all inputs, as the lane does. */
  void dropAll() {
    Steps steps = new Steps();
    book.clear().forEach(input -> steps.run(() -> dropUnopened(input)));
    steps.end();
  }

  private static void dropUnopened(Input input) {
    if (!input.begun) {
      CellQueue.drop(input.cell);
    }
  }
}
