package dev.holdfast.cli.bench;

import java.util.List;

/**
 * A way for items to get from a producer to a consumer. Implementations are found by {@link
 * java.util.ServiceLoader} and have a public constructor without parameters. The command asks for
 * their facts alone, so a class that needs {@link #jvmFlags()} must not be touched before {@link
 * #open}, which is called in a process of the cell's own, where nothing else runs.
 */
public interface Transport {
  /** How many bytes a pass should move when nobody says how many items. */
  long DEFAULT_BYTES_PER_PASS = 4L << 30;

  /** The same for a transport that serializes whole items. */
  long SERIALIZED_BYTES_PER_PASS = 256L << 20;

  /**
   * Returns the name that options and reports have.
   *
   * @return a short word in lower case
   */
  String name();

  /**
   * Returns whether producer and consumer are two threads of control that wait for each other.
   *
   * @return true unless overridden; false when one thread does all
   */
  default boolean waits() {
    return true;
  }

  /**
   * Returns how many bytes a pass should move when nobody says how many items.
   *
   * @return bytes, so that a pass takes less than a second
   */
  default long bytesPerPass() {
    return DEFAULT_BYTES_PER_PASS;
  }

  /**
   * Returns whether the producer makes items where the consumer reads them. Then the payload is not
   * filled: what is measured is the cost of a unit, whatever its size.
   *
   * @return false unless overridden
   */
  default boolean fillsInPlace() {
    return false;
  }

  /**
   * Returns which sizes are measured when nobody says so.
   *
   * @return sizes in bytes
   */
  default List<Long> defaultSizes() {
    return List.of(64L << 10, 1L << 20, 8L << 20, 32L << 20);
  }

  /**
   * Returns options that the JVMs of a cell need, those of {@link ProducerProcess} included.
   *
   * @return JVM options; none unless overridden
   */
  default List<String> jvmFlags() {
    return List.of();
  }

  /**
   * Returns which threads of the consumer's process work for the transport. Their processor time is
   * counted with that of the thread that consumes.
   *
   * @return how the names of such threads begin
   */
  default List<String> ownThreads() {
    return List.of("holdfast-");
  }

  /**
   * Starts what the transport needs. Called in the process that consumes.
   *
   * @param cell what will be measured
   * @return the means to run passes
   * @throws NotSupportedException when the transport cannot carry such items; nothing is left then
   * @throws Exception when it cannot start; nothing is left then
   */
  Session open(CellSpec cell) throws Exception;
}
