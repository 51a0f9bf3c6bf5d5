package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.loader.Lease;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An item and the right to its unit, if it has one. */
public final class RestoredLease<T extends @Nullable Object> implements Lease<T> {
  private final T item;
  private final @Nullable UnitLease unit;

  RestoredLease(T item, @Nullable UnitLease unit) {
    this.item = item;
    this.unit = unit;
  }

  @Override
  public T item() {
    return item;
  }

  @Override
  public StorageHold hold() {
    return unit == null ? EmptyHold.INSTANCE : unit.hold();
  }

  @Override
  public Optional<UnitLease> unit() {
    return Optional.ofNullable(unit);
  }

  @Override
  public void close() {
    if (unit != null) {
      unit.close();
    }
  }

  @Override
  public boolean close(Duration timeout) {
    return unit == null || unit.close(timeout);
  }
}
