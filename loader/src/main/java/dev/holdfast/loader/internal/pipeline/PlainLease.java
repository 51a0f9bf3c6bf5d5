package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.internal.parent.EmptyHold;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease on an item without storage.
 *
 * @param item the item
 */
record PlainLease(@Nullable Object item) implements Lease<@Nullable Object> {

  @Override
  public StorageHold hold() {
    return EmptyHold.INSTANCE;
  }

  @Override
  public Optional<UnitLease> unit() {
    return Optional.empty();
  }

  @Override
  public void close() {}

  @Override
  public boolean close(Duration timeout) {
    return true;
  }
}
