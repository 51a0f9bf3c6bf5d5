package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.StorageHold;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Finds the unit that a view belongs to, by its address and its scope. */
public final class Holds {
  private static final ConcurrentNavigableMap<Long, Storage> STORAGES =
      new ConcurrentSkipListMap<>();

  /** Memory in which units, or their outputs, lie. */
  public interface Storage {
    /** Returns all of the memory, in the global scope. */
    MemorySegment memory();

    /** Returns whose bytes an address belongs to, or null. */
    @Nullable Owned ownerAt(long address);
  }

  private Holds() {}

  /** Makes what lies in a memory findable. */
  public static void register(Storage storage) {
    STORAGES.put(storage.memory().address(), storage);
  }

  /** Ends {@link #register}; before the memory is unmapped. */
  public static void unregister(Storage storage) {
    STORAGES.remove(storage.memory().address(), storage);
  }

  /** See {@link StorageHold#of(MemorySegment)}. */
  public static StorageHold of(MemorySegment view) {
    if (!view.isNative()) {
      return new HeapHold(view);
    }
    if (!view.scope().isAlive()) {
      throw new IllegalStateException("the view's scope has ended");
    }
    StackRoom.require();
    MemorySegment bytes = Views.unscoped(MemorySegment.ofAddress(view.address()), view.byteSize());
    Owned unit = find(view, view.address());
    if (unit == null && view.byteSize() == 0) {
      unit = find(view, view.address() - 1); // an empty slice at the very end
    }
    if (unit == null) {
      throw new IllegalArgumentException(
          FailureDetail.of("the memory belongs to no unit of this process")
              .with("bytes", view.byteSize())
              .advise("pass a view that a lease gave out, or a slice of one")
              .message());
    }
    return UnitHold.of(unit, bytes);
  }

  /** Returns whether any bytes in a memory are held, also by a hold that nobody closes any more. */
  public static boolean anyIn(MemorySegment memory) {
    return DroppedHold.anyIn(memory);
  }

  /** Returns the unit with an owner added for the caller, or null. */
  private static @Nullable Owned find(MemorySegment view, long address) {
    Map.Entry<Long, Storage> entry = STORAGES.floorEntry(address);
    if (entry == null) {
      return null;
    }
    MemorySegment memory = entry.getValue().memory();
    if (address - memory.address() >= memory.byteSize()) {
      return null;
    }
    Owned unit = entry.getValue().ownerAt(address);
    if (unit == null || !unit.retain()) {
      return null;
    }
    ViewGuard guard = unit.guard();
    if (guard != null && guard.refersTo(view.scope())) {
      return unit;
    }
    unit.retire();
    return null;
  }
}
