package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BenchTest {
  private static final List<String> USUAL = List.of("memcpy", "pool", "ring", "channel");
  private static final int FITTING = 0;

  @Test
  void everyTransportIsMeasuredWithEachOfItsSizes() {
    assertEquals(
        List.of(
            "memcpy 64KiB",
            "pool 64KiB",
            "ring 64KiB",
            "channel 64KiB",
            "memcpy 1MiB",
            "pool 1MiB",
            "ring 1MiB",
            "channel 1MiB",
            "memcpy 8MiB",
            "pool 8MiB",
            "ring 8MiB",
            "channel 8MiB",
            "memcpy 32MiB",
            "pool 32MiB",
            "ring 32MiB",
            "channel 32MiB"),
        names(bench(USUAL, List.of(), FITTING)));
    assertEquals(
        List.of(
            "pool 64KiB",
            "pool 1MiB",
            "pool-in-place 1MiB",
            "pool 8MiB",
            "pool 32MiB",
            "pool-in-place 64MiB"),
        names(bench(List.of("pool", "pool-in-place"), List.of(), FITTING)));
    assertEquals(
        List.of("pool 100B", "pool-in-place 100B"),
        names(bench(List.of("pool", "pool-in-place"), List.of(100L), FITTING)));
  }

  @Test
  void aPoolHasRoomForFourMebibytesAndForFourItems() {
    List<Long> sizes = List.of(1L, 64L << 10, 128L << 10, 1L << 20, 2L << 20, 32L << 20);

    assertEquals(List.of(64, 64, 32, 4, 4, 4), segments(bench(List.of("pool"), sizes, FITTING)));
    assertEquals(List.of(3, 3, 3, 3, 3, 3), segments(bench(List.of("pool"), sizes, 3)));
    assertThrows(UsageException.class, () -> bench(List.of("pool"), sizes, -1).cells());
  }

  private static List<String> names(Bench bench) {
    return bench.cells().stream()
        .map(cell -> cell.transport() + " " + Sizes.format(cell.sizeBytes()))
        .toList();
  }

  private static List<Integer> segments(Bench bench) {
    return bench.cells().stream().map(CellSpec::segments).toList();
  }

  private static Bench bench(List<String> transports, List<Long> sizes, int segments) {
    return new Bench(
        transports,
        List.of(Payload.BUFFER),
        sizes,
        List.of(CellSpec.Measure.THROUGHPUT),
        ViewScope.CONFINED,
        0,
        9,
        segments,
        0,
        false,
        Codec.COMPACT);
  }
}
