package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.RestoreMode;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes items of arrivals, on the thread that wants them.
 *
 * @param <T> what the source yields, by the caller's word
 */
public final class Restorer<T extends @Nullable Object> {
  private final ItemCodec.Decoder decoder;
  private final @Nullable ArenaReader reader;
  private final Figures figures;

  /** Makes one for the items of one channel. */
  public Restorer(ItemCodec.Decoder decoder, @Nullable ArenaReader reader, Figures figures) {
    this.decoder = decoder;
    this.reader = reader;
    this.figures = figures;
  }

  /** Restores an item whose views the caller leases. */
  public RestoredLease<T> lease(Arrival.Item item, ViewScope scope) {
    return restore(item, scope, RestoreMode.VIEWS);
  }

  /** Restores an item whose views live until they are collected. */
  public T plain(Arrival.Item item) {
    boolean copies =
        reader != null && reader.heapCopiesAdvised() && item.envelope().allowsHeapCopies();
    if (copies) {
      figures.heapCopies.increment();
    }
    RestoreMode mode = copies ? RestoreMode.HEAP_COPIES : RestoreMode.VIEWS;
    try (RestoredLease<T> lease = restore(item, ViewScope.COLLECTED, mode)) {
      return lease.item();
    }
  }

  /** Gives an item's storage back. */
  public void discard(Arrival.Item item) {
    UnitReceipt receipt = item.receipt();
    if (reader != null && receipt != null) {
      reader.discard(receipt);
    }
    figures.discarded.increment();
  }

  private RestoredLease<T> restore(Arrival.Item item, ViewScope scope, RestoreMode mode) {
    UnitReceipt receipt = item.receipt();
    @Nullable OpenUnit unit =
        reader == null || receipt == null ? null : reader.beginUnit(receipt, scope);
    @Nullable UnitLease lease = null;
    boolean restored = false;
    try {
      @Nullable Object value;
      try {
        value = decoder.restore(item.envelope(), unit, mode);
      } finally {
        if (unit != null) {
          lease = unit.endUnit(List.of());
        }
      }
      restored = true;
      figures.items.increment();
      return leaseOn(value, lease);
    } catch (IOException | ClassNotFoundException e) {
      throw Failures.notRestored(e, item.index());
    } finally {
      if (!restored && lease != null) {
        lease.close();
      }
    }
  }

  /** What arrives is what the source yielded, null where the caller's type allows null. */
  @SuppressWarnings({"unchecked", "NullAway"})
  private RestoredLease<T> leaseOn(@Nullable Object value, @Nullable UnitLease lease) {
    return new RestoredLease<>((T) value, lease);
  }
}
