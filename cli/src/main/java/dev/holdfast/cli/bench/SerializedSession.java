package dev.holdfast.cli.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Reads items by Java serialization from a stream that a worker process writes. */
final class SerializedSession implements Session {
  private final ProducerProcess producer;
  private final ObjectInputStream stream;
  private final PlainItems items;

  /**
   * Waits for the beginning of the stream.
   *
   * @param source where the items come from
   */
  SerializedSession(CellSpec cell, ProducerProcess producer, InputStream source)
      throws IOException {
    this.producer = producer;
    items = new PlainItems(cell.payload());
    stream = new ObjectInputStream(new BufferedInputStream(source, ObjectSender.BUFFER_BYTES));
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer)
      throws IOException, ClassNotFoundException {
    producer.request(plan);
    for (int unit = 0; unit < plan.items(); unit++) {
      consumer.accept(items.item(stream.readObject()));
    }
  }

  @Override
  public OptionalLong producerPid() {
    return OptionalLong.of(producer.pid());
  }

  @Override
  public void close() throws IOException {
    producer.close();
    stream.close();
  }
}
