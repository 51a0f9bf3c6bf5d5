package dev.holdfast.cli.bench;

import java.io.IOException;
import java.io.OutputStream;

/**
 * The producing end of a transport whose worker process is started by {@link ProducerProcess}. Has
 * a public constructor without parameters. All methods are called by one thread of that process.
 */
public interface ProducerEnd extends AutoCloseable {

  /**
   * Connects to the consumer.
   *
   * @param cell what is measured
   * @param address what {@link ProducerProcess#start} was given
   * @param out this process's standard output, not buffered, which the consumer reads as {@link
   *     ProducerProcess#data()}; nothing else writes to it
   * @throws Exception when it cannot connect; the process ends then and the stack is shown
   */
  void open(CellSpec cell, String address, OutputStream out) throws Exception;

  /**
   * Sends the items of one pass, and returns when the last one is on its way.
   *
   * @param plan the pass
   * @throws Exception when it cannot; the process ends then and the stack is shown
   */
  void produce(PassPlan plan) throws Exception;

  /**
   * Ends what {@link #open} began, when no more passes come.
   *
   * @throws IOException when something is left
   */
  @Override
  void close() throws IOException;
}
