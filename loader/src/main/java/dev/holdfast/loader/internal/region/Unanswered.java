package dev.holdfast.loader.internal.region;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The inputs that a lane has taken and that are not answered yet, in that order. Guarded by the
 * lock of the lane's book.
 */
final class Unanswered {
  private final LinkedHashMap<Long, Input> inputs = new LinkedHashMap<>();

  void add(Input input) {
    inputs.put(input.number, input);
  }

  /** Returns false when the input was not here any more. */
  boolean remove(Input input) {
    return inputs.remove(input.number) != null;
  }

  boolean has(Input input) {
    return inputs.containsKey(input.number);
  }

  @Nullable Input find(long number) {
    return inputs.get(number);
  }

  int size() {
    return inputs.size();
  }

  boolean all(Predicate<Input> which) {
    return inputs.values().stream().allMatch(which);
  }

  List<Input> those(Predicate<Input> which) {
    return inputs.values().stream().filter(which).toList();
  }
}
