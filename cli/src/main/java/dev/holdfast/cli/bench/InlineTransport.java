package dev.holdfast.cli.bench;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** No transport: the consumer's thread asks the producer itself, and nothing is copied. */
public final class InlineTransport implements Transport {
  /** Made by the service loader. */
  public InlineTransport() {}

  @Override
  public String name() {
    return "inline";
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public Session open(CellSpec cell) {
    Iterable<Object> passes = new BenchSource(cell).passes();
    return new Session() {
      @Override
      public void pass(PassPlan plan, Consumer<Object> consumer) {
        passes.forEach(consumer);
      }

      @Override
      public OptionalLong producerPid() {
        return OptionalLong.empty();
      }

      @Override
      public void close() {}
    };
  }
}
