package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.Lease;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A lease on a list of items, each with a unit of its own.
 *
 * @param item the list
 * @param leases the items' leases
 */
record BatchLease(List<@Nullable Object> item, List<Lease<@Nullable Object>> leases)
    implements Lease<@Nullable Object> {

  /** Holds all units. There is no one segment of them. */
  private record Holds(List<StorageHold> holds) implements StorageHold {
    @Override
    public MemorySegment segment() {
      throw severalUnits();
    }

    @Override
    public ByteBuffer buffer() {
      throw severalUnits();
    }

    private static UnsupportedOperationException severalUnits() {
      return new UnsupportedOperationException(
          "a batch lies in several units; take a hold on one of its items with StorageHold.of");
    }

    @Override
    public void close() {
      Steps steps = new Steps();
      holds.forEach(hold -> steps.run(hold::close));
      steps.end();
    }
  }

  @Override
  public StorageHold hold() {
    List<StorageHold> holds = new ArrayList<>();
    boolean whole = false;
    try {
      for (Lease<?> lease : leases) {
        holds.add(lease.hold());
      }
      whole = true;
      return new Holds(holds);
    } finally {
      if (!whole) {
        Steps steps = new Steps();
        holds.forEach(hold -> steps.run(hold::close));
      }
    }
  }

  @Override
  public Optional<UnitLease> unit() {
    return Optional.empty();
  }

  /** Ends each lease, also when another one refuses. */
  @Override
  public void close() {
    Steps steps = new Steps();
    leases.forEach(lease -> steps.run(lease::close));
    steps.end();
  }

  @Override
  public boolean close(Duration timeout) {
    long start = System.nanoTime();
    AtomicBoolean ended = new AtomicBoolean(true);
    Steps steps = new Steps();
    for (Lease<?> lease : leases) {
      Duration left = timeout.minusNanos(System.nanoTime() - start);
      steps.run(
          () -> {
            if (!lease.close(left.isNegative() ? Duration.ZERO : left)) {
              ended.set(false);
            }
          });
    }
    steps.end();
    return ended.get();
  }
}
