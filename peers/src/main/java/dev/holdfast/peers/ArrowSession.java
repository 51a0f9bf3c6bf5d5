package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerProcess;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The consuming end of Arrow: reads each batch where it lies, then gives its place back. */
final class ArrowSession extends PeerSession {
  private final ArrowSignals signals;
  private final ArrowBatches batches;

  private ArrowSession(
      ArrowSignals signals, ArrowBatches batches, ProducerProcess producer, Resources resources) {
    super(producer, resources);
    this.signals = signals;
    this.batches = batches;
  }

  static ArrowSession open(CellSpec cell) throws Exception {
    Resources resources = new Resources();
    try {
      PeerFolder folder = resources.add(PeerFolder.create("arrow", ArrowFile.bytes(cell)));
      ArrowFile file = resources.add(ArrowFile.open(folder.path(), cell));
      try (ServerSocketChannel server = listen(folder.path().resolve(ArrowFile.SOCKET))) {
        ProducerProcess producer =
            resources.add(
                ProducerProcess.start(cell, ArrowProducer.class, folder.path().toString()));
        ArrowSignals signals = resources.add(new ArrowSignals(producer.accept(server)));
        if (signals.receive() != ArrowSignals.SCHEMA) {
          throw new IOException("no schema came");
        }
        ArrowBatches batches = resources.add(new ArrowBatches(file));
        return new ArrowSession(signals, batches, producer, resources);
      }
    } catch (Exception | Error e) {
      try (resources) {
        throw e;
      }
    }
  }

  private static ServerSocketChannel listen(Path socket) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.configureBlocking(false);
    return server.bind(UnixDomainSocketAddress.of(socket));
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer) throws IOException {
    producer.request(plan);
    for (int seen = 0; seen < plan.items(); seen++) {
      int place = signals.receive();
      batches.read(place, consumer);
      signals.send(place);
    }
  }
}
