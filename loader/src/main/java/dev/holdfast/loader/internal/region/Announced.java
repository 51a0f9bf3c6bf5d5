package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.parent.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What the worker has said of a result that it sends next: nothing else comes in between. The
 * receiving thread's alone.
 */
final class Announced {
  private @Nullable Answers next;

  /** Forgets what was said: another pass begins. */
  void clear() {
    next = null;
  }

  boolean isThere() {
    return next != null;
  }

  /**
   * Takes note of an answer.
   *
   * @return whether its result follows
   * @throws dev.holdfast.arena.ArenaCorruptedException when that of another one is still due
   */
  boolean heard(Answers answers) {
    requireNone("an answer came instead of a result");
    next = answers.hasValue() ? answers : null;
    return answers.hasValue();
  }

  /**
   * Takes what the result that has come answers.
   *
   * @throws dev.holdfast.arena.ArenaCorruptedException when it answers nothing
   */
  Answers take() {
    Answers answers = next;
    if (answers == null) {
      throw Failures.brokenProtocol("a result came that answers nothing", "announced", 0, 1);
    }
    next = null;
    return answers;
  }

  /**
   * Makes sure that no result is due.
   *
   * @throws dev.holdfast.arena.ArenaCorruptedException when one is
   */
  void requireNone(String instead) {
    if (next != null) {
      throw Failures.brokenProtocol(instead, "announced", 1, 0);
    }
  }
}
