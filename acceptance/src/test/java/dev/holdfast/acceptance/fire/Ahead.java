package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.Deadlines;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.FutureTask;

/**
 * Starts what the next rounds need, on threads of its own, while the present round is looked at.
 * For one thread.
 *
 * @param <T> what a round needs; closing one ends its processes whatever they do
 */
public final class Ahead<T extends AutoCloseable> implements AutoCloseable {
  private static final int DEPTH = 2;

  private final int rounds;
  private final Start<T> start;
  private final Deque<FutureTask<T>> started = new ArrayDeque<>();
  private int next;

  /** Makes what one round needs. */
  @FunctionalInterface
  public interface Start<T> {
    /**
     * Starts.
     *
     * @param round the round's number
     */
    T start(int round) throws Exception;
  }

  /**
   * Starts the first ones.
   *
   * @param rounds how many there are going to be
   * @param start makes one
   */
  public Ahead(int rounds, Start<T> start) {
    this.rounds = rounds;
    this.start = start;
    fill();
  }

  /** Returns what the next round needs; the caller closes it. */
  public T take() throws Exception {
    FutureTask<T> first = started.removeFirst();
    fill();
    return Deadlines.result(first);
  }

  private void fill() {
    while (started.size() < DEPTH && next < rounds) {
      int round = next++;
      started.add(Deadlines.start("ahead " + round, () -> start.start(round)));
    }
  }

  /** Closes what no round has taken, when a round before has failed. */
  @Override
  public void close() {
    AssertionError failed = null;
    while (!started.isEmpty()) {
      try {
        Deadlines.result(started.removeFirst()).close();
      } catch (Exception | AssertionError e) {
        if (failed == null) {
          failed = new AssertionError("what no round has taken cannot be closed", e);
        } else {
          failed.addSuppressed(e);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
