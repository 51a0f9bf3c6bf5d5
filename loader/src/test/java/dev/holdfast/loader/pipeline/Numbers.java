package dev.holdfast.loader.pipeline;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** Sources and checks of the tests of this package. */
final class Numbers {
  private Numbers() {}

  /** The numbers from 0 on, a new pass each time. */
  static Iterable<Integer> below(int count) {
    return () -> IntStream.range(0, count).iterator();
  }

  static List<Integer> listBelow(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  /** Takes one pass. */
  static <T> List<T> pass(Iterable<T> pipeline) {
    List<T> all = new ArrayList<>();
    pipeline.forEach(all::add);
    return all;
  }

  /** Takes so many results of a pass. */
  static <T> List<T> some(Iterable<T> pipeline, int count) {
    Iterator<T> results = pipeline.iterator();
    List<T> all = new ArrayList<>();
    while (all.size() < count) {
      all.add(results.next());
    }
    return all;
  }

  /** Works for a moment, longer for some items than for others. */
  static void work(int item) {
    for (int i = item * 31 % 7 * 50; i > 0; i--) {
      Thread.onSpinWait();
    }
  }
}
