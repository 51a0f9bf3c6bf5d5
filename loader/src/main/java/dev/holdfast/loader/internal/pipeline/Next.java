package dev.holdfast.loader.internal.pipeline;

/** What the next call of {@code next()} is about. */
sealed interface Next {

  /**
   * A result.
   *
   * @param content the result
   */
  record Item(Content content) implements Next {}

  /**
   * An error, thrown once.
   *
   * @param failure what to throw
   */
  record Failure(RuntimeException failure) implements Next {}

  /**
   * An error that every further call ends with.
   *
   * @param failure what to throw
   */
  record Lasting(RuntimeException failure) implements Next {}

  /** The end of the pass. */
  record End() implements Next {}
}
