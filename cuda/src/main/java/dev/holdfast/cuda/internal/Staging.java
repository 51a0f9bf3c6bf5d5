package dev.holdfast.cuda.internal;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.Pinning;
import java.util.ArrayList;
import java.util.List;
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
  private final List<MemoryMapping> idle = new ArrayList<>();

  Staging(@Nullable PagePinner pinner) {
    this.pinner = pinner;
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
    while (!idle.isEmpty()) { // too small, all of them: the budget may not hold both
      drop(idle.removeLast());
    }
    MemoryMapping fresh = MemoryMapping.ofPrivate(byteSize, "staging memory for device copies");
    if (pinner != null) {
      try {
        fresh.addStep(Pinning.of(pinner, fresh.segment()));
      } catch (Throwable e) {
        drop(fresh);
        throw e;
      }
    }
    return fresh;
  }

  /** Takes back what no copy uses any more. */
  void giveBack(MemoryMapping used) {
    if (idle.size() < MOST_IDLE) {
      idle.add(used);
    } else {
      drop(used);
    }
  }

  /** Gives all idle memory back to the system. */
  void clear() {
    idle.forEach(Staging::drop);
    idle.clear();
  }

  /** Unmaps; when that is refused, the quarantine has the memory and says so. */
  static void drop(MemoryMapping mapping) {
    var _ = mapping.releaseNow();
  }
}
