package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.internal.failure.ThrowableText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Empties one stream of a worker, so that the worker never waits for a reader, and keeps its last
 * lines. Nobody waits for the end of the stream for long: a grandchild may have inherited it and
 * live on.
 */
final class OutputPump {
  private static final Logger LOG = Logs.of("dev.holdfast.worker");
  private static final int BUFFER_BYTES = 8192;
  private static final long QUIET_MILLIS = 30;

  /** One look can fall between a read and the write of what was read. */
  private static final int QUIET_LOOKS = 2;

  private final InputStream stream;
  private final OutputStream target;
  private final LineTail tail = new LineTail();
  private final byte[] buffer = new byte[BUFFER_BYTES]; // there before anybody relies on the pump
  private final CountDownLatch ended = new CountDownLatch(1);

  // written by the pump's thread: bytes that have gone where they go, and whether some are going
  private volatile long pumped;
  private volatile boolean writing;

  private OutputPump(InputStream stream, OutputStream target) {
    this.stream = stream;
    this.target = target;
  }

  /**
   * Opens the place where a stream goes.
   *
   * @param output the choice
   * @param same the stream of the same kind of this process
   * @throws IOException when a file cannot be opened
   */
  static OutputStream open(WorkerOutput output, PrintStream same) throws IOException {
    return switch (output) {
      case WorkerOutput.Inherit _ -> new Borrowed(same);
      case WorkerOutput.StandardError _ -> new Borrowed(System.err);
      case WorkerOutput.Discard _ -> OutputStream.nullOutputStream();
      case WorkerOutput.Log _ -> new LogLines();
      case WorkerOutput.ToFile(var path) ->
          Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    };
  }

  /** Starts to pump on a thread of its own. */
  static OutputPump start(String name, InputStream stream, OutputStream target) {
    OutputPump pump = new OutputPump(stream, target);
    var _ = Thread.ofPlatform().daemon().name(name).start(pump::run);
    return pump;
  }

  LineTail tail() {
    return tail;
  }

  /**
   * Waits until what a worker wrote before it ended has gone where it goes. While a grandchild
   * keeps the stream open there is no end to wait for; then until nothing has come for a moment. An
   * interrupt is kept for later.
   *
   * @param deadline until when at most, by {@link System#nanoTime}
   */
  void awaitDrained(long deadline) {
    boolean interrupted = false;
    long before = -1;
    int quietLooks = 0;
    while (quietLooks < QUIET_LOOKS && deadline - System.nanoTime() > 0) {
      try {
        if (ended.await(QUIET_MILLIS, TimeUnit.MILLISECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
      long now = pumped;
      quietLooks = now == before && !writing && isEmpty() ? quietLooks + 1 : 0;
      before = now;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isEmpty() {
    try {
      return stream.available() == 0;
    } catch (IOException e) {
      return true; // the pump has just closed it
    }
  }

  private void run() {
    boolean writable = true;
    long total = 0;
    try (stream;
        target) {
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        writing = true;
        tail.add(buffer, count);
        writable = writable && write(count);
        total += count;
        pumped = total;
        writing = false;
      }
    } catch (IOException e) {
      LOG.log(Logger.Level.DEBUG, "a worker's stream was closed under its reader", e);
    } finally {
      ended.countDown();
    }
  }

  /** A target that refuses, a full disk or code of the user, must not stop the worker. */
  private boolean write(int count) {
    try {
      target.write(buffer, 0, count);
      target.flush();
      return true;
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(
          Logger.Level.WARNING,
          "output of a worker is no longer written: {0}",
          ThrowableText.line(e));
      return false;
    }
  }

  /** A stream of this process, which is not ours to close. */
  private static final class Borrowed extends OutputStream {
    private final PrintStream stream;

    Borrowed(PrintStream stream) {
      this.stream = stream;
    }

    @Override
    public void write(int b) {
      stream.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) {
      stream.write(bytes, offset, count);
    }

    @Override
    public void flush() {
      stream.flush();
    }
  }

  /** Logs whole lines, and what is left at the end; endless lines come in pieces. */
  private static final class LogLines extends OutputStream {
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    @Override
    public void write(int b) {
      if (b == '\n') {
        log();
      } else {
        line.write(b);
        if (line.size() >= BUFFER_BYTES) {
          log();
        }
      }
    }

    @Override
    public void close() {
      if (line.size() > 0) {
        log();
      }
    }

    private void log() {
      LOG.log(Logger.Level.INFO, line.toString(StandardCharsets.UTF_8).stripTrailing());
      line.reset();
    }
  }
}
