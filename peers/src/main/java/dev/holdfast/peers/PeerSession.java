package dev.holdfast.peers;

import dev.holdfast.cli.bench.ProducerProcess;
import dev.holdfast.cli.bench.Session;
import java.io.IOException;
import java.util.OptionalLong;

/** A consuming end whose producer is a process of its own, and all that was opened for it. */
abstract class PeerSession implements Session {
  final ProducerProcess producer;
  private final Resources resources;

  PeerSession(ProducerProcess producer, Resources resources) {
    this.producer = producer;
    this.resources = resources;
  }

  @Override
  public final OptionalLong producerPid() {
    return OptionalLong.of(producer.pid());
  }

  @Override
  public final void close() throws IOException {
    resources.close();
  }
}
