package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.StageFigures.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * Figures of the stages inside a lane's worker: of the one that works, and of those that have died.
 * The receiving thread writes, any thread reads. Stages are told apart by their place, since two
 * may have one name.
 */
final class LaneFigures {
  private record State(List<Snapshot> earlier, List<Snapshot> now) {}

  private volatile State state = new State(List.of(), List.of());

  /** Takes the latest figures of the worker. */
  void update(List<Snapshot> latest) {
    state = new State(state.earlier, latest);
  }

  /** Keeps the figures of a worker that has died. */
  void keep() {
    state = new State(all(), List.of());
  }

  /** Returns the figures of all workers of the lane, none before the first has sent some. */
  List<Snapshot> all() {
    State current = state;
    return sum(current.earlier, current.now, Snapshot::continuedBy);
  }

  /** Adds figures place by place. */
  static List<Snapshot> sum(
      List<Snapshot> one, List<Snapshot> other, BinaryOperator<Snapshot> adding) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    List<Snapshot> sum = new ArrayList<>();
    for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
      sum.add(adding.apply(one.get(i), other.get(i)));
    }
    return sum;
  }
}
