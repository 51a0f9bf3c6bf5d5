package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.fault.FaultPoint;
import java.lang.foreign.MemorySegment;

/**
 * Copies memory of any kind and size, by the JVM or by the C library, whichever turns out to be
 * faster for copies of that size. Neither keeps a safepoint waiting for more than a millisecond or
 * so.
 *
 * <p>The C library copies only what nobody can cut short meanwhile: a page without a file behind it
 * is an {@code InternalError} where the JVM copies, and the end of the process in any other code.
 * The system property {@code holdfast.jvmCopies} leaves all copies to the JVM, for who hands over
 * memory of which nobody can tell that a file is behind it.
 */
public final class BulkCopy {
  private static final long FAULT_POINT_FROM = 64L << 10;

  /** Below this the choice would cost more than it saves. */
  private static final long CHOICE_FROM = 32L << 10;

  private static volatile boolean jvmAlone = Boolean.getBoolean("holdfast.jvmCopies");

  /** By the number of a size's highest bit. */
  private static final CopyChoice[] CHOICES = new CopyChoice[Long.SIZE];

  static {
    for (int i = 0; i < CHOICES.length; i++) {
      CHOICES[i] = new CopyChoice();
    }
  }

  private BulkCopy() {}

  /**
   * Leaves all further copies of this process to the JVM, because somebody hands over memory that
   * cannot be known.
   */
  public static void leaveToTheJvm() {
    if (!jvmAlone) {
      jvmAlone = true;
    }
  }

  /** Copies a binary of a unit to other memory of the same size that shares no byte with it. */
  public static void copyBinary(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    if (FaultPoint.ENABLED && byteSize >= FAULT_POINT_FROM) {
      long half = byteSize / 2;
      copy(source.asSlice(0, half), target.asSlice(0, half));
      FaultPoint.BINARY_HALF_COPIED.reach();
      copy(source.asSlice(half), target.asSlice(half));
      return;
    }
    copy(source, target);
  }

  /** Copies all of a segment to another one of the same size that shares no byte with it. */
  public static void copy(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    if (byteSize < CHOICE_FROM || !forAnyCode(source, target)) {
      CopyWay.JVM.copy(source, target);
    } else {
      CHOICES[Long.SIZE - 1 - Long.numberOfLeadingZeros(byteSize)].copy(source, target);
    }
  }

  /** Returns whether other code than the JVM's may copy. */
  static boolean forAnyCode(MemorySegment source, MemorySegment target) {
    return !jvmAlone
        && !target.isReadOnly()
        && !CuttableMemory.holds(source)
        && !CuttableMemory.holds(target);
  }
}
