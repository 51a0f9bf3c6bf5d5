package dev.holdfast.cli.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Java serialization over an operating-system pipe, the standard output of a worker process. */
public final class PipeTransport implements Transport {
  /** Made by the service loader. */
  public PipeTransport() {}

  @Override
  public String name() {
    return "pipe";
  }

  @Override
  public long bytesPerPass() {
    return SERIALIZED_BYTES_PER_PASS;
  }

  @Override
  public Session open(CellSpec cell) throws IOException {
    ProducerProcess producer = ProducerProcess.start(cell, Writer.class, "");
    try {
      return new SerializedSession(cell, producer, producer.data());
    } catch (IOException | RuntimeException e) {
      producer.close();
      throw e;
    }
  }

  /** The worker's end. */
  static final class Writer implements ProducerEnd {
    private @Nullable ObjectSender sender;

    Writer() {}

    @Override
    public void open(CellSpec cell, String address, OutputStream out) throws IOException {
      sender = new ObjectSender(cell, out);
    }

    @Override
    public void produce(PassPlan plan) throws IOException {
      Objects.requireNonNull(sender, "not open").send();
    }

    @Override
    public void close() {}
  }
}
