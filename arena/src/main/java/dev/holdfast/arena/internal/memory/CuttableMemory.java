package dev.holdfast.arena.internal.memory;

import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Mapped memory whose file somebody may cut short, so that only the JVM can touch it without risk.
 * That of a {@code FileChannel} says so itself; that of arenas in files is noted here. What other
 * native code has mapped, what was reinterpreted, and what lies under a typed view of a mapped
 * buffer cannot be told from any other memory.
 */
final class CuttableMemory {
  private static final Queue<MemorySegment> ARENAS = new ConcurrentLinkedQueue<>();

  private CuttableMemory() {}

  static void add(MemorySegment mapped) {
    ARENAS.add(mapped);
  }

  /** Takes memory out that is not mapped any more; allocates nothing. */
  static void remove(MemorySegment unmapped) {
    var _ = ARENAS.remove(unmapped);
  }

  /** Returns whether a file may be cut that is behind any byte of a segment. */
  static boolean holds(MemorySegment segment) {
    return segment.isNative() && (segment.isMapped() || isOfAnArena(segment));
  }

  private static boolean isOfAnArena(MemorySegment segment) {
    if (ARENAS.isEmpty()) {
      return false;
    }
    long first = segment.address();
    long end = first + segment.byteSize();
    for (MemorySegment arena : ARENAS) {
      if (first < arena.address() + arena.byteSize() && arena.address() < end) {
        return true;
      }
    }
    return false;
  }
}
