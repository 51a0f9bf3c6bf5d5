package dev.holdfast.arena.payload;

import dev.holdfast.arena.HoldfastFailure;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import org.jspecify.annotations.Nullable;

/** What an item that cannot be encoded becomes. */
final class EncodeFailures {
  private EncodeFailures() {}

  /** Throws a failure of the arena as it was. */
  static void rethrow(@Nullable Throwable failure) {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException("the arena threw a checked exception", failure);
    }
  }

  /**
   * Returns the failure with class and path, or throws what is not the item's fault: failures of
   * the arena, a record that is too long, no more memory.
   */
  static IOException explained(Throwable thrown, OffloadSink sink, @Nullable Object item) {
    rethrow(sink.arenaFailure());
    if (thrown instanceof HoldfastFailure && thrown instanceof RuntimeException failure) {
      throw failure;
    }
    return explained(thrown, "item", item, sink.at(thrown));
  }

  static IOException explained(
      Throwable thrown, String rootName, @Nullable Object root, @Nullable Object last) {
    if (thrown instanceof OutOfMemoryError error) {
      throw error;
    }
    String where = where(rootName, root, last);
    return switch (thrown) {
      case NotSerializableException e -> {
        NotSerializableException named =
            new NotSerializableException(
                "an object cannot cross to another process: "
                    + where
                    + reason(e, last)
                    + "; make it serializable, transient, or leave it out");
        named.initCause(e);
        yield named;
      }
      case StackOverflowError e ->
          invalid("an object nests too deeply: " + where + "; use a list or a larger stack", e);
      default -> invalid("an object could not be written: " + where + cause(thrown), thrown);
    };
  }

  private static IOException invalid(String message, Throwable cause) {
    InvalidObjectException invalid = new InvalidObjectException(message);
    invalid.initCause(cause);
    return invalid;
  }

  private static String where(String rootName, @Nullable Object root, @Nullable Object last) {
    if (last == null) {
      return "path=" + rootName;
    }
    String path = ObjectPaths.find(rootName, root, last);
    return "class="
        + ObjectPaths.nameOf(last.getClass())
        + " path="
        + (path == null ? "hidden" : path);
  }

  /**
   * Java names another class than the last object's when it refuses before it looks at the object.
   */
  private static String reason(NotSerializableException e, @Nullable Object last) {
    String named = e.getMessage();
    boolean same = named == null || (last != null && named.equals(last.getClass().getName()));
    return same ? "" : " refused=" + named;
  }

  private static String cause(Throwable thrown) {
    return " cause=" + thrown.getClass().getName() + messageOf(thrown);
  }

  /** The message of a foreign exception, whose own code may throw. */
  private static String messageOf(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null ? "" : " message=" + ObjectPaths.cut(message);
    } catch (RuntimeException | Error e) {
      return " message=unavailable";
    }
  }
}
