package dev.holdfast.cli.bench;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A started transport. Passes run one behind the other, in order of their numbers, without a gap.
 */
public interface Session extends AutoCloseable {

  /**
   * Moves the items of one pass, and returns when the last one is released.
   *
   * @param plan the pass
   * @param consumer is called for each item in order on the calling thread; the item's bytes are
   *     valid until it returns
   * @throws Exception when the pass cannot be finished
   */
  void pass(PassPlan plan, Consumer<Object> consumer) throws Exception;

  /**
   * Returns the process that produces.
   *
   * @return its pid, or nothing when it is this process
   */
  OptionalLong producerPid();

  /**
   * Ends what was started.
   *
   * @throws IOException when something is left
   */
  @Override
  void close() throws IOException;
}
