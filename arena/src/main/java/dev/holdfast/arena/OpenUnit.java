package dev.holdfast.arena;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A unit while it is being restored. Belongs to the thread that began it. {@link #endUnit} is
 * called exactly once, also when restoring failed; then the caller closes the lease it returns.
 */
public interface OpenUnit {

  /**
   * Returns a view of one binary, of the unit's scope, read-only unless the arena was made with
   * writable views. An empty binary gives a segment that holds nothing.
   *
   * @param offset as in the binary's {@link Placement}
   * @param byteSize as in the binary's {@link Placement}
   * @return a view of {@code byteSize} bytes
   * @throws ArenaCorruptedException when the range does not lie in the unit
   */
  MemorySegment readBinary(long offset, long byteSize);

  /**
   * Returns bytes for one visit: valid until {@link #endUnit}, for copying into a heap array or
   * parsing. Makes no view and so adds no owner.
   *
   * @param offset as in the binary's {@link Placement}
   * @param byteSize as in the binary's {@link Placement}
   * @return read-only bytes that must not be kept
   * @throws ArenaCorruptedException when the range does not lie in the unit
   */
  default MemorySegment peekBinary(long offset, long byteSize) {
    return readBinary(offset, byteSize);
  }

  /**
   * Ends the restore. Views that were made keep the unit; without any it is given back at once.
   *
   * @param anchors further objects that must stay reachable as long as the lease; built-in arenas
   *     need none
   * @return the consumer's right to the unit
   */
  UnitLease endUnit(List<?> anchors);
}
