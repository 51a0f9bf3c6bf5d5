package dev.holdfast.loader;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Where a stream that the worker writes goes. Whatever is chosen, the last lines are kept for error
 * messages. Closing a worker waits for a moment until what it wrote has gone there. A process that
 * the worker has started and that lives on with its streams goes on to be read; it costs two
 * threads and two descriptors here until it ends. Immutable.
 */
public sealed interface WorkerOutput {

  /**
   * To the stream of the same kind of this process, {@link System#out} or {@link System#err}. The
   * default.
   *
   * @return the choice
   */
  static WorkerOutput inherit() {
    return new Inherit();
  }

  /**
   * To {@link System#err} of this process, also what the worker writes to its standard output.
   *
   * @return the choice
   */
  static WorkerOutput standardError() {
    return new StandardError();
  }

  /**
   * Nowhere.
   *
   * @return the choice
   */
  static WorkerOutput discard() {
    return new Discard();
  }

  /**
   * To the log, line by line: the logger {@code dev.holdfast.worker}, level {@code INFO}.
   *
   * @return the choice
   */
  static WorkerOutput log() {
    return new Log();
  }

  /**
   * To the end of a file, which is made when it does not exist.
   *
   * @param file the file's path
   * @return the choice
   */
  static WorkerOutput file(Path file) {
    return new ToFile(Objects.requireNonNull(file, "file"));
  }

  /** See {@link WorkerOutput#inherit}. */
  record Inherit() implements WorkerOutput {}

  /** See {@link WorkerOutput#standardError}. */
  record StandardError() implements WorkerOutput {}

  /** See {@link WorkerOutput#discard}. */
  record Discard() implements WorkerOutput {}

  /** See {@link WorkerOutput#log}. */
  record Log() implements WorkerOutput {}

  /**
   * See {@link WorkerOutput#file}.
   *
   * @param path the file's path
   */
  record ToFile(Path path) implements WorkerOutput {}
}
