package dev.holdfast.acceptance.capacity;

import dev.holdfast.loader.WorkerSource;
import java.io.Serializable;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Sources that make an item of each place. */
final class Sizes {
  private Sizes() {}

  /** Makes the item of a place. */
  interface Making<T> extends IntFunction<T>, Serializable {}

  static <T> WorkerSource<T> counting(int count, Making<T> making) {
    return _ -> () -> IntStream.range(0, count).mapToObj(making).iterator();
  }
}
