package dev.holdfast.arena.payload;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the filter of an item's object stream about what is made beside the stream, as the stream
 * would: about a class and its serializable superclasses when they occur for the first time, about
 * each array with its length, and about depth, objects and bytes alone each time a class occurs
 * again. One item's.
 */
final class FilterQuestions {
  static final long NO_ARRAY = -1;

  /** What a filter is told. */
  record Info(
      @Nullable Class<?> serialClass,
      long arrayLength,
      long depth,
      long references,
      long streamBytes)
      implements ObjectInputFilter.FilterInfo {}

  private final ObjectInputFilter filter;
  private final Set<Class<?>> known = new HashSet<>();
  private long depth;
  private long references;

  FilterQuestions(ObjectInputFilter filter) {
    this.filter = filter;
  }

  long depth() {
    return depth;
  }

  long references() {
    return references;
  }

  /** Says that the next value begins. */
  void enter() {
    depth++;
    references++;
  }

  /** Says that the value ended. */
  void leave() {
    depth--;
  }

  void askAboutType(Class<?> type, long bytes) throws InvalidClassException {
    if (!known.add(type)) {
      ask(null, NO_ARRAY, bytes);
      return;
    }
    for (Class<?> c = type;
        c != null && Serializable.class.isAssignableFrom(c);
        c = c.getSuperclass()) {
      ask(c, NO_ARRAY, bytes);
    }
  }

  void askAboutArray(Class<?> type, long length, long bytes) throws InvalidClassException {
    ask(type, length, bytes);
  }

  /** Asks about the numbers alone. */
  void askAboutNothing(long bytes) throws InvalidClassException {
    ask(null, NO_ARRAY, bytes);
  }

  private void ask(@Nullable Class<?> type, long arrayLength, long bytes)
      throws InvalidClassException {
    ObjectInputFilter.Status status = null;
    RuntimeException thrown = null;
    try {
      status = filter.checkInput(new Info(type, arrayLength, depth, references, bytes));
    } catch (RuntimeException e) {
      thrown = e;
    }
    if (status == null || status == ObjectInputFilter.Status.REJECTED) {
      InvalidClassException refused = new InvalidClassException("filter status: REJECTED");
      if (thrown != null) {
        refused.initCause(thrown);
      }
      throw refused;
    }
  }
}
