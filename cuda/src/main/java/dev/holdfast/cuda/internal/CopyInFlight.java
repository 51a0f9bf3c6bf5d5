package dev.holdfast.cuda.internal;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.UnprovedTransfers;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One copy between host and device, from before the driver is asked until its end is proved, with
 * everything that must not go before. The static list keeps it reachable meanwhile, whatever
 * happens to the calling thread, and keeps registrations from being ended under it.
 */
final class CopyInFlight {
  private static final Object LOCK = new Object();
  private static final Set<CopyInFlight> ALL =
      Collections.newSetFromMap(new IdentityHashMap<>()); // guarded by LOCK

  private final long hostAddress;
  private final long byteSize;
  private final DeviceMemory deviceMemory;
  private final @Nullable StorageHold hold;
  private final @Nullable MemoryMapping staged;
  private UnprovedTransfers.@Nullable Range unproved;

  /**
   * Describes a copy whose host side is either held or staged.
   *
   * @param hold keeps the bytes of an arena; ended with the copy
   * @param staged memory of our own; given back by who took it
   * @param deviceMemory with an owner added for the copy
   */
  CopyInFlight(
      long hostAddress,
      long byteSize,
      DeviceMemory deviceMemory,
      @Nullable StorageHold hold,
      @Nullable MemoryMapping staged) {
    this.hostAddress = hostAddress;
    this.byteSize = byteSize;
    this.deviceMemory = deviceMemory;
    this.hold = hold;
    this.staged = staged;
  }

  long hostAddress() {
    return hostAddress;
  }

  long byteSize() {
    return byteSize;
  }

  @Nullable MemoryMapping staged() {
    return staged;
  }

  /** Lists the copy; before the driver is asked. */
  void begin() {
    synchronized (LOCK) {
      ALL.add(this);
    }
  }

  /** The end cannot be proved for now: arenas around the bytes cannot close with certainty. */
  void markUnproved(String what) {
    unproved = UnprovedTransfers.add(hostAddress, byteSize, what);
  }

  /** The end is proved. */
  void end() {
    synchronized (LOCK) {
      ALL.remove(this);
    }
    if (unproved != null) {
      unproved.proved();
    }
    if (hold != null) {
      hold.close();
    }
    deviceMemory.release();
  }

  /** Does something to host memory while no copy uses it; returns -1 when one does. */
  static int whileUnused(long address, long byteSize, IntSupplier action) {
    synchronized (LOCK) {
      for (CopyInFlight copy : ALL) {
        if (copy.hostAddress < address + byteSize && address < copy.hostAddress + copy.byteSize) {
          return -1;
        }
      }
      return action.getAsInt();
    }
  }
}
