package dev.holdfast.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What lies unopened in a pipeline goes back, however its pass ends: it is somebody's storage. */
final class UnopenedItemsTest {
  private final AtomicInteger made = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger twice = new AtomicInteger();

  /** Stands for an item whose storage is a unit of an arena. */
  private final class Stored implements Parcel<Integer> {
    private final int number;
    private final AtomicInteger uses = new AtomicInteger();

    Stored(int number) {
      this.number = number;
      made.incrementAndGet();
    }

    private void end() {
      ended.incrementAndGet();
    }

    @Override
    public Lease<Integer> open(ViewScope scope) {
      twice.addAndGet(uses.getAndIncrement());
      return new Opened(number, this::end);
    }

    @Override
    public void discard() {
      twice.addAndGet(uses.getAndIncrement());
      end();
    }
  }

  private record Opened(Integer item, Runnable end) implements Lease<Integer> {
    @Override
    public StorageHold hold() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<UnitLease> unit() {
      return Optional.empty();
    }

    @Override
    public void close() {
      end.run();
    }

    @Override
    public boolean close(Duration timeout) {
      close();
      return true;
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the engine opens what it gets
  private Pipeline<Integer> stored(int count) {
    Iterable<Parcel<Integer>> source =
        () -> IntStream.range(0, count).mapToObj(this::make).iterator();
    return Pipeline.from((Iterable<Integer>) (Iterable) source);
  }

  private Parcel<Integer> make(int number) {
    return new Stored(number);
  }

  private void assertAllWentBackOnce() {
    Deadlines.assertEventually("all that was made has ended", () -> made.get() == ended.get());
    assertEquals(0, twice.get());
  }

  @Test
  void closeGivesBackWhatNobodyOpened() {
    for (int round = 0; round < 20; round++) {
      try (PipelineIterable<List<Integer>> pipeline =
          stored(10_000).buffer(8).batch(7).buffer(3).build()) {
        Iterator<Lease<List<Integer>>> leases = pipeline.leases().iterator();
        for (int i = 0; i < round; i++) {
          leases.next().close();
        }
        assertTrue(leases.hasNext()); // and is never taken
      }
      assertAllWentBackOnce();
    }
  }

  @Test
  void passesThatAreLeftGiveBackTheirBatches() {
    try (PipelineIterable<List<Integer>> pipeline =
        stored(1_000)
            .batch(3)
            .batch(2)
            .<List<Integer>>map(batches -> List.of(batches.size()))
            .build()) {
      for (int pass = 0; pass < 200; pass++) {
        assertEquals(List.of(2), pipeline.iterator().next());
      }
    }
    assertAllWentBackOnce();
  }

  @Test
  void newerIteratorGivesBackWhatTheOlderOneLookedAt() {
    try (PipelineIterable<Integer> pipeline = stored(3).build()) {
      assertTrue(pipeline.iterator().hasNext());
      assertEquals(List.of(0, 1, 2), Numbers.pass(pipeline));
      assertAllWentBackOnce();
    }
  }
}
