package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.NotSupportedException;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.Payload;
import dev.holdfast.cli.bench.Stamps;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadFactory;

/** What all peers have in common. */
final class Peers {
  /** How long the producer may take to connect. */
  static final long CONNECT_NANOS = 30_000_000_000L;

  /** Threads whose names begin so are counted as the transport's own. */
  private static final String THREADS = "holdfast-";

  private Peers() {}

  /** What a producer does with an item's stamped bytes. */
  interface Sending {
    void send() throws Exception;
  }

  /** Refuses what is not a run of bytes: no peer has a form for it that all would share. */
  static void requireBytes(CellSpec cell) throws NotSupportedException {
    if (cell.payload() != Payload.BUFFER) {
      throw new NotSupportedException(
          "the peers carry runs of bytes, which is --payload buffer, not "
              + cell.payload().label());
    }
    if (cell.sizeBytes() == 0) {
      throw new NotSupportedException("an item has at least one byte");
    }
  }

  /** Stamps the items of a pass into the same bytes, one after the other, and sends each. */
  static void sendAll(PassPlan plan, MemorySegment bytes, Sending sending) throws Exception {
    delay(plan);
    for (int unit = 0; unit < plan.items(); unit++) {
      Stamps.write(bytes, plan, unit);
      sending.send();
    }
  }

  /** Sleeps as long as a pass asks a producer to. */
  static void delay(PassPlan plan) throws InterruptedException {
    if (plan.delayMillis() > 0) {
      Thread.sleep(plan.delayMillis());
    }
  }

  /** Returns a factory of daemons whose processor time counts as the transport's. */
  static ThreadFactory threads(String name) {
    return task -> {
      Thread thread = new Thread(task, THREADS + name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Sleeps for a moment of a connection that is being made. */
  static void pause() throws IOException {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }
}
