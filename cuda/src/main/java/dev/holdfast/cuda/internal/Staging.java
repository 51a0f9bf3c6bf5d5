package dev.holdfast.cuda.internal;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.Pinning;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory of our own that copies go through when the other side is no memory that can be kept: the
 * heap, or native memory whose arena anybody may close. Used again and again; used by one thread at
 * a time.
 */
final class Staging {
  private static final long SMALLEST = 1L << 20;
  private static final int MOST_IDLE = 4;

  private final @Nullable PagePinner pinner;
  private final BooleanSupplier makeRoom;
  private final List<MemoryMapping> idle = new ArrayList<>();

  /**
   * Makes staging without memory.
   *
   * @param makeRoom has others give up memory that the pinner locks for nothing; returns whether
   *     any did
   */
  Staging(@Nullable PagePinner pinner, BooleanSupplier makeRoom) {
    this.pinner = pinner;
    this.makeRoom = makeRoom;
  }

  /** Returns memory of at least so many bytes. */
  MemoryMapping take(long byteSize) {
    MemoryMapping best = null;
    for (MemoryMapping candidate : idle) {
      if (candidate.byteSize() >= byteSize
          && (best == null || candidate.byteSize() < best.byteSize())) {
        best = candidate;
      }
    }
    if (best != null) {
      idle.remove(best);
      return best;
    }
    return fresh((byteSize + SMALLEST - 1) / SMALLEST * SMALLEST);
  }

  private MemoryMapping fresh(long byteSize) {
    var _ = clear(); // too small, all of them: the budget may not hold both
    MemoryMapping fresh = MemoryMapping.ofPrivate(byteSize, "staging memory for device copies");
    if (pinner != null) {
      try {
        lock(pinner, fresh);
      } catch (Throwable e) {
        drop(fresh);
        throw e;
      }
    }
    return fresh;
  }

  private void lock(PagePinner locking, MemoryMapping fresh) {
    try {
      var _ = Pinning.of(locking, fresh, fresh.segment());
    } catch (PinningException e) {
      if (!makeRoom.getAsBoolean()) {
        throw e;
      }
      var _ = Pinning.of(locking, fresh, fresh.segment());
    }
  }

  /** Takes back what no copy uses any more. */
  void giveBack(MemoryMapping used) {
    if (idle.size() < MOST_IDLE) {
      idle.add(used);
    } else {
      drop(used);
    }
  }

  /** Gives all idle memory back to the system; returns whether there was any. */
  boolean clear() {
    boolean any = !idle.isEmpty();
    while (!idle.isEmpty()) {
      drop(idle.removeLast());
    }
    return any;
  }

  /** Unmaps; when that is refused, the quarantine has the memory and says so. */
  static void drop(MemoryMapping mapping) {
    var _ = mapping.releaseNow();
  }
}
