package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Sizes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cell takes, by a clock that its items and the wait for the compiler move. */
@Timeout(120)
final class CellTimeTest {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int PASSES = 9;
  private static final int NOT_SAID = 0;

  private final List<PassPlan> ran = new ArrayList<>();
  private long nanos = Long.MAX_VALUE - 1_000; // it may overflow

  // a cell takes 10 s at most, the start of its process not counted
  @ParameterizedTest
  @CsvSource({
    "64KiB,1",
    "64KiB,100",
    "64KiB,600",
    "64KiB,1200",
    "1MiB,10",
    "1MiB,1000",
    "1MiB,15000",
    "8MiB,100",
    "8MiB,10000",
    "8MiB,40000",
    "32MiB,1000",
    "32MiB,20000",
    "32MiB,40000"
  })
  void allPassesOfACellTakeTenSecondsAtMost(String size, long microsPerItem) throws Exception {
    double seconds = run(size, CellSpec.Measure.THROUGHPUT, microsPerItem);

    assertTrue(seconds <= 10, "seconds=" + seconds);
    List<PassPlan> timed = ran.subList(CellSpec.REHEARSAL + CellSpec.REHEARSALS, PASSES + 9);
    for (PassPlan pass : timed) {
      assertEquals(timed.getFirst().items(), pass.items());
      assertTrue(pass.items() >= 4, pass.toString());
      double itsSeconds = pass.items() * microsPerItem / 1e6;
      assertTrue(itsSeconds >= 0.04 && itsSeconds < 0.36, pass + " seconds=" + itsSeconds);
    }
    assertTrue(ran.stream().filter(pass -> pass.items() == 1).count() >= 20, "round trips");
  }

  @ParameterizedTest
  @CsvSource({"64KiB,5", "64KiB,500", "1MiB,10", "1MiB,15000", "32MiB,1000", "32MiB,20000"})
  void roundTripsAloneTakeTenSecondsAtMost(String size, long microsPerItem) throws Exception {
    double seconds = run(size, CellSpec.Measure.LATENCY, microsPerItem);

    assertTrue(seconds <= 10, "seconds=" + seconds);
  }

  private double run(String size, CellSpec.Measure measure, long microsPerItem) throws Exception {
    CellSpec cell =
        new Bench(
                List.of("pool"),
                List.of(Payload.BUFFER),
                List.of(Sizes.parse(size)),
                List.of(measure),
                ViewScope.CONFINED,
                NOT_SAID,
                PASSES,
                NOT_SAID,
                0,
                false,
                Codec.COMPACT)
            .cells()
            .getFirst();
    long begin = nanos;
    Transport transport = new Steady(TimeUnit.MICROSECONDS.toNanos(microsPerItem));
    var _ = new CellRun(cell, transport, () -> nanos, this::compile).run();
    return (nanos - begin) / NANOS_PER_SECOND;
  }

  private void compile() {
    nanos += TimeUnit.MILLISECONDS.toNanos(CompilerQueue.LONGEST_MILLIS);
  }

  /** Items of which each takes the same time. */
  private final class Steady implements Transport {
    private final long nanosPerItem;

    Steady(long nanosPerItem) {
      this.nanosPerItem = nanosPerItem;
    }

    @Override
    public String name() {
      return "steady";
    }

    @Override
    public Session open(CellSpec cell) {
      return new Session() {
        @Override
        public void pass(PassPlan plan, Consumer<Object> consumer) {
          ran.add(plan);
          for (int unit = 0; unit < plan.items(); unit++) {
            nanos += nanosPerItem;
            consumer.accept(MemorySegment.NULL);
          }
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
}
