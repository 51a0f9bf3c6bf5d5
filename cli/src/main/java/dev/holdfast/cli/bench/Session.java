package dev.holdfast.cli.bench;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A started transport. Passes run one behind the other, in order of their numbers, without a gap.
 */
public interface Session extends AutoCloseable {

  /**
   * Moves the items of one pass, and returns when the last one is released. The producer begins
   * when it is asked to by this call, and not before: a pass of one item is a round trip.
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
   * Returns how often the transport asked for a garbage collection in this process so far.
   *
   * @return the count; 0 unless overridden
   */
  default long gcRequests() {
    return 0;
  }

  /**
   * Ends what was started.
   *
   * @throws IOException when something is left
   */
  @Override
  void close() throws IOException;
}
