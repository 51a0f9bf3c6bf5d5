package dev.holdfast.cli.bench;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * A worker process for transports that bring none of their own, as the consumer sees it. The worker
 * makes a {@link ProducerEnd} and runs one pass for each request. Belongs to one thread.
 */
public final class ProducerProcess implements AutoCloseable {
  private static final long LONGEST_EXIT_SECONDS = 10;
  private static final long LONGEST_CONNECT_NANOS = 30_000_000_000L;

  private final Process process;
  private final DataOutputStream requests;

  private ProducerProcess(Process process, DataOutputStream requests) {
    this.process = process;
    this.requests = requests;
  }

  /**
   * Starts the process and returns at once. Its standard error is that of this process.
   *
   * @param cell what is measured
   * @param end the class of the producing end
   * @param address how the end finds the consumer, in the transport's own words
   * @return the process
   * @throws IOException when it cannot be started
   */
  public static ProducerProcess start(
      CellSpec cell, Class<? extends ProducerEnd> end, String address) throws IOException {
    Process process =
        new ProcessBuilder(JvmCommand.of(Transports.named(cell.transport()), ProducerMain.class))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      ObjectOutputStream setup = new ObjectOutputStream(process.getOutputStream());
      setup.writeObject(new Setup(cell, end.getName(), address));
      setup.flush();
      return new ProducerProcess(process, new DataOutputStream(process.getOutputStream()));
    } catch (IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /**
   * Asks for the items of a pass.
   *
   * @param plan the pass
   * @throws IOException when the process has ended
   */
  public void request(PassPlan plan) throws IOException {
    requests.writeInt(plan.number());
    requests.flush();
  }

  /**
   * Returns what the producing end writes to its standard output.
   *
   * @return the stream, which ends with the process
   */
  public InputStream data() {
    return process.getInputStream();
  }

  /**
   * Returns the process id.
   *
   * @return the pid
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Makes sure that the process is there, for those who wait for it without a stream of its own.
   *
   * @throws IOException when it has ended
   */
  public void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("the producer has ended: exit=" + process.exitValue());
    }
  }

  /**
   * Waits for the process to connect.
   *
   * @param server where it connects to; does not block
   * @return the connection
   * @throws IOException when it has ended or does not connect in time
   */
  public SocketChannel accept(ServerSocketChannel server) throws IOException {
    long start = System.nanoTime();
    SocketChannel socket = server.accept();
    while (socket == null) {
      requireAlive();
      if (System.nanoTime() - start > LONGEST_CONNECT_NANOS) {
        throw new IOException("the producer does not connect");
      }
      Pause.millis(1);
      socket = server.accept();
    }
    return socket;
  }

  /** Asks the process to end, waits, and kills it when it does not. */
  @Override
  public void close() throws IOException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroyForcibly(); // it is gone, or reads no more
    }
    try {
      if (!process.waitFor(LONGEST_EXIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    process.getInputStream().close();
  }

  /**
   * What the process is told at its start.
   *
   * @param cell what is measured
   * @param endClass the name of the producing end's class
   * @param address how the end finds the consumer
   */
  record Setup(CellSpec cell, String endClass, String address) implements Serializable {}
}
