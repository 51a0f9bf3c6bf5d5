package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerProcess;
import io.aeron.Aeron;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * The consuming end of Aeron IPC, with the media driver on a thread of its own in the same process.
 */
final class AeronSession extends PeerSession {
  /** The position that the producer waits for moves once a poll. */
  private static final int CHUNKS_PER_POLL = 8;

  private static final long DRIVER_BYTES = 64L << 20;

  private final Subscription subscription;
  private final AeronItems items;
  private final IdleStrategy idle = AeronStream.idle();

  private AeronSession(
      Subscription subscription, CellSpec cell, ProducerProcess producer, Resources resources) {
    super(producer, resources);
    this.subscription = subscription;
    this.items = new AeronItems(Math.toIntExact(cell.sizeBytes()));
  }

  static AeronSession open(CellSpec cell) throws Exception {
    Resources resources = new Resources();
    try {
      long bytes = (long) AeronStream.LOG_BUFFERS * AeronStream.TERM_BYTES + DRIVER_BYTES;
      PeerFolder folder = resources.add(PeerFolder.create("aeron", bytes));
      String name = folder.path().resolve("driver").toString();
      resources.add(driver(name));
      Aeron aeron = resources.add(AeronStream.connect(name));
      Subscription subscription =
          resources.add(aeron.addSubscription(AeronStream.CHANNEL, AeronStream.STREAM));
      ProducerProcess producer =
          resources.add(ProducerProcess.start(cell, AeronProducer.class, name));
      AeronSession session = new AeronSession(subscription, cell, producer, resources);
      session.awaitProducer();
      return session;
    } catch (Exception | Error e) {
      try (resources) {
        throw e;
      }
    }
  }

  private static MediaDriver driver(String folder) {
    return MediaDriver.launch(
        new MediaDriver.Context()
            .aeronDirectoryName(folder)
            .dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED)
            .sharedThreadFactory(Peers.threads("aeron-driver"))
            .sharedIdleStrategy(
                new BackoffIdleStrategy(
                    10, 5, TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(1)))
            .termBufferSparseFile(false));
  }

  private void awaitProducer() throws IOException {
    long start = System.nanoTime();
    while (!subscription.isConnected()) {
      producer.requireAlive();
      if (System.nanoTime() - start > Peers.CONNECT_NANOS) {
        throw new IOException("the producer does not connect");
      }
      Peers.pause();
    }
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer) throws IOException {
    producer.request(plan);
    items.begin(plan.items(), consumer);
    while (!items.complete()) {
      int chunks = subscription.poll(items, CHUNKS_PER_POLL);
      if (chunks == 0) {
        producer.requireAlive();
      }
      idle.idle(chunks);
    }
  }
}
