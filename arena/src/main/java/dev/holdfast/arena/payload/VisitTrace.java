package dev.holdfast.arena.payload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the object that is being written, for the case that writing it fails. One thread's.
 *
 * <p>When an object stream fails with an {@link IOException}, it writes that exception, with all
 * that it refers to, before it throws it. So what was written before each such exception is
 * remembered too.
 */
final class VisitTrace {
  private record Offered(IOException exception, @Nullable Object before) {}

  private final List<Offered> exceptions = new ArrayList<>();
  private @Nullable Object last;

  void visit(Object object) {
    if (object instanceof IOException exception) {
      exceptions.add(new Offered(exception, last));
    }
    last = object;
  }

  /** The object at which writing failed, or null when nothing had been written. */
  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  @Nullable Object at(Throwable failure) {
    for (Offered offered : exceptions) {
      if (offered.exception() == failure) {
        return offered.before();
      }
    }
    return last;
  }

  void clear() {
    exceptions.clear();
    last = null;
  }
}
