package dev.holdfast.cli.bench;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** A transport that loses one item of the second pass. */
public final class LyingTransport implements Transport {
  @Override
  public String name() {
    return "lying";
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public Session open(CellSpec cell) {
    Session honest = new InlineTransport().open(cell);
    return new Session() {
      @Override
      public void pass(PassPlan plan, Consumer<Object> consumer) throws Exception {
        int[] unit = {0};
        honest.pass(
            plan,
            item -> {
              if (plan.number() != cell.firstTimed() + 1 || unit[0]++ != 3) {
                consumer.accept(item);
              }
            });
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
