package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/** memmove(3): a copy by the C library. */
public final class LibraryCopy {
  private static final NativeFunction MEMMOVE =
      NativeFunction.critical("memmove", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG));

  private LibraryCopy() {}

  /**
   * Copies all of a segment, of the heap or not, to another one of the same size. A page that has
   * no file behind it any more ends the process, and what is read-only is written. Meanwhile the
   * memory's arena refuses to be closed, as in each call of native code.
   */
  public static void copy(MemorySegment source, MemorySegment target) {
    try {
      MEMMOVE.handle().invokeExact(target, source, source.byteSize());
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
