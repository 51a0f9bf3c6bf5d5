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
 * memory that other native code has mapped.
 */
public final class BulkCopy {
  private static final long FAULT_POINT_FROM = 64L << 10;

  /** Below this the choice would cost more than it saves. */
  private static final long CHOICE_FROM = 32L << 10;

  private static final boolean JVM_ALONE = Boolean.getBoolean("holdfast.jvmCopies");

  /** By the number of a size's highest bit. */
  private static final CopyChoice[] CHOICES = new CopyChoice[Long.SIZE];

  static {
    for (int i = 0; i < CHOICES.length; i++) {
      CHOICES[i] = new CopyChoice();
    }
  }

  private BulkCopy() {}

  /** Copies all of a segment to another one of the same size that shares no byte with it. */
  public static void copy(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    if (FaultPoint.ENABLED && byteSize >= FAULT_POINT_FROM) {
      long half = byteSize / 2;
      wholly(source.asSlice(0, half), target.asSlice(0, half));
      FaultPoint.BINARY_HALF_COPIED.reach();
      wholly(source.asSlice(half), target.asSlice(half));
      return;
    }
    wholly(source, target);
  }

  private static void wholly(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    if (byteSize < CHOICE_FROM || !forAnyCode(source, target)) {
      CopyWay.JVM.copy(source, target);
    } else {
      CHOICES[Long.SIZE - 1 - Long.numberOfLeadingZeros(byteSize)].copy(source, target);
    }
  }

  private static boolean forAnyCode(MemorySegment source, MemorySegment target) {
    return !JVM_ALONE
        && !target.isReadOnly()
        && !CuttableMemory.holds(source)
        && !CuttableMemory.holds(target);
  }
}
