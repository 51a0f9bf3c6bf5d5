package dev.holdfast.loader.internal.region;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes note of answers and says what goes on because of them: results at once, or, where inputs
 * may have to be done again, when all inputs are done that share some. Guarded by the lock of the
 * lane's book.
 */
final class Answering {
  private final Unanswered unanswered;
  private final boolean wholeGroups;

  Answering(Unanswered unanswered, boolean wholeGroups) {
    this.unanswered = unanswered;
    this.wholeGroups = wholeGroups;
  }

  /**
   * Takes note of an answer.
   *
   * @param made what it brings
   * @param stemming the inputs that its result stems from
   * @param done the inputs that are done with it
   */
  Settled answered(List<Delivery> made, List<Long> stemming, List<Long> done) {
    Settled settled = new Settled();
    if (wholeGroups) {
      join(stemming);
    }
    made.forEach(delivery -> place(delivery, settled));
    for (long number : done) {
      Input input = unanswered.find(number);
      if (input != null) {
        input.done = true;
        input.doneNanos = System.nanoTime();
        settle(input.group, settled);
      }
    }
    return settled;
  }

  private void join(List<Long> stemming) {
    @Nullable Group first = null;
    for (long number : stemming) {
      Input input = unanswered.find(number);
      if (input != null && first == null) {
        first = input.group;
      } else if (input != null && first != null) {
        first.join(input.group);
      }
    }
  }

  private void place(Delivery delivery, Settled settled) {
    if (!unanswered.has(delivery.input())) {
      settled.dropped().add(delivery);
    } else if (wholeGroups) {
      delivery.input().group.add(delivery);
    } else {
      settled.ready().add(delivery);
    }
  }

  private void settle(Group group, Settled settled) {
    if (wholeGroups && !group.isDone()) {
      return;
    }
    settled.ready().addAll(group.take());
    for (Input input : group.inputs()) {
      if (input.done && unanswered.remove(input)) {
        settled.finished().add(input);
      }
    }
  }
}
