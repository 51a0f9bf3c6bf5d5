package dev.holdfast.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/**
 * Memory of zeros that takes pages where it is written to and nowhere else, for sources of many
 * GiB: what an {@code Arena} allocates is cleared, and so takes all of its pages at once. Never
 * given back; for child JVMs.
 */
public final class ZeroPages {
  private static final int READ_AND_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS_UNRESERVED = 0x4022;

  private ZeroPages() {}

  /**
   * Maps memory (mmap(2)).
   *
   * @param byteSize how much
   * @return the memory, aligned to a page
   */
  @SuppressWarnings("restricted") // tests may call the C library
  public static MemorySegment of(long byteSize) {
    Linker linker = Linker.nativeLinker();
    var mmap =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("mmap"),
            FunctionDescriptor.of(
                ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    MemorySegment mapped;
    try {
      mapped =
          (MemorySegment)
              mmap.invokeExact(
                  MemorySegment.NULL,
                  byteSize,
                  READ_AND_WRITE,
                  PRIVATE_ANONYMOUS_UNRESERVED,
                  -1,
                  0L);
    } catch (Throwable e) {
      throw new IllegalStateException("mmap could not be called", e);
    }
    if (mapped.address() == -1) {
      throw new IllegalStateException("mmap failed: byteSize=" + byteSize);
    }
    return mapped.reinterpret(byteSize);
  }
}
