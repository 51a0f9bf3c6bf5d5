package dev.holdfast.cli.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A transport whose producer fails in the rehearsal. */
public final class BrokenTransport implements Transport {
  @Override
  public String name() {
    return "broken";
  }

  @Override
  public Session open(CellSpec cell) throws IOException {
    ProducerProcess producer = ProducerProcess.start(cell, End.class, "somewhere");
    Session honest = new InlineTransport().open(cell);
    return new Session() {
      @Override
      public void pass(PassPlan plan, Consumer<Object> consumer) throws Exception {
        producer.request(plan);
        if (producer.data().read() < 0) {
          throw new EOFException("pass " + plan.number() + " does not come");
        }
        honest.pass(plan, consumer);
      }

      @Override
      public OptionalLong producerPid() {
        return OptionalLong.of(producer.pid());
      }

      @Override
      public void close() throws IOException {
        producer.close();
      }
    };
  }

  /** Says one byte for the warm-up. */
  public static final class End implements ProducerEnd {
    private OutputStream out = OutputStream.nullOutputStream();

    /** Made by the producer's process. */
    public End() {}

    @Override
    public void open(CellSpec cell, String address, OutputStream target) {
      if (!address.equals("somewhere")) {
        throw new IllegalArgumentException(address);
      }
      out = target;
    }

    @Override
    public void produce(PassPlan plan) throws IOException {
      if (plan.number() == CellSpec.REHEARSAL) {
        throw new IOException("broken on purpose");
      }
      out.write(1);
    }

    @Override
    public void close() {}
  }
}
