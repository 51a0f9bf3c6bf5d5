package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.fault.FaultPoint;
import java.lang.foreign.MemorySegment;

/**
 * Copies in pieces, so that no copy keeps a safepoint waiting for more than a millisecond or so.
 */
public final class BulkCopy {
  private static final long PIECE = 8L << 20;
  private static final long FAULT_POINT_FROM = 64L << 10;

  private BulkCopy() {}

  /** Copies all of a segment to another one of the same size. */
  public static void copy(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    if (FaultPoint.ENABLED && byteSize >= FAULT_POINT_FROM) {
      long half = byteSize / 2;
      pieces(source.asSlice(0, half), target.asSlice(0, half));
      FaultPoint.BINARY_HALF_COPIED.reach();
      pieces(source.asSlice(half), target.asSlice(half));
      return;
    }
    pieces(source, target);
  }

  private static void pieces(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    for (long done = 0; done < byteSize; done += PIECE) {
      MemorySegment.copy(source, done, target, done, Math.min(PIECE, byteSize - done));
    }
  }
}
