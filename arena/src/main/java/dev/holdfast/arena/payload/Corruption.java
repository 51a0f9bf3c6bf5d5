package dev.holdfast.arena.payload;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;

/** Makes the error for records whose bytes cannot be true. */
final class Corruption {
  private Corruption() {}

  static ArenaCorruptedException record(String why) {
    return new ArenaCorruptedException(detail(why));
  }

  static ArenaCorruptedException record(Throwable cause) {
    String message = cause.getMessage();
    String why = message == null ? cause.getClass().getSimpleName() : message;
    return new ArenaCorruptedException(detail(why), cause);
  }

  private static FailureDetail detail(String why) {
    return FailureDetail.of("a record cannot be true")
        .with("reason", why)
        .advise("the record was damaged on its way, or the two sides use different codecs");
  }
}
