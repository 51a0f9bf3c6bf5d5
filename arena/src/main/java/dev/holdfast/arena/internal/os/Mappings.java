package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * mmap, munmap and their kin as downcalls: an interrupt would close a {@code FileChannel}, and
 * closing a mapping's {@code Arena} is refused while a waiter is inside.
 */
@SuppressWarnings("restricted")
public final class Mappings {
  public static final int MADV_HUGEPAGE = 14;
  public static final int MADV_POPULATE_READ = 22;
  public static final int MADV_POPULATE_WRITE = 23;

  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
  private static final long MAP_FAILED = -1;

  private static final NativeFunction MMAP =
      NativeFunction.of(
          "mmap",
          Natives.returnsAddress(ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final NativeFunction MUNMAP =
      NativeFunction.of("munmap", Natives.returnsInt(ADDRESS, JAVA_LONG));
  private static final NativeFunction MADVISE =
      NativeFunction.of("madvise", Natives.returnsInt(ADDRESS, JAVA_LONG, JAVA_INT));
  private static final NativeFunction PAGE_SIZE =
      NativeFunction.of("getpagesize", Natives.returnsInt());

  private Mappings() {}

  /** Maps all of a file for reading and writing, shared; the segment has the global scope. */
  public static MemorySegment mapShared(int descriptor, long byteSize) throws ErrnoException {
    return map(byteSize, MAP_SHARED, descriptor);
  }

  /** Maps fresh private memory of zeros. */
  public static MemorySegment mapPrivate(long byteSize) throws ErrnoException {
    return map(byteSize, MAP_PRIVATE_ANONYMOUS, -1);
  }

  private static MemorySegment map(long byteSize, int flags, int descriptor) throws ErrnoException {
    MUNMAP.bind();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment address =
          (MemorySegment)
              MMAP.handle()
                  .invokeExact(
                      state, MemorySegment.NULL, byteSize, PROT_READ_WRITE, flags, descriptor, 0L);
      if (address.address() == MAP_FAILED) {
        throw new ErrnoException("mmap", Natives.errno(state));
      }
      return sized(address, byteSize, state);
    } catch (ErrnoException e) {
      throw e;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** What has been mapped is unmapped again when there is no heap to say how large it is. */
  private static MemorySegment sized(MemorySegment address, long byteSize, MemorySegment state)
      throws Throwable {
    try {
      return address.reinterpret(byteSize);
    } catch (Error e) {
      var _ = (int) MUNMAP.handle().invokeExact(state, address, byteSize);
      throw e;
    }
  }

  /**
   * Unmaps what one of the map methods returned. Throws only while it is mapped: whoever tries
   * again would unmap what lies there by then.
   */
  public static void unmap(MemorySegment mapped) throws ErrnoException {
    boolean unmapped = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) MUNMAP.handle().invokeExact(state, mapped, mapped.byteSize());
      unmapped = result == 0;
      if (!unmapped) {
        throw new ErrnoException("munmap", Natives.errno(state));
      }
    } catch (ErrnoException e) {
      throw e;
    } catch (Throwable e) {
      if (!unmapped) {
        throw Natives.unexpected(e);
      }
    }
  }

  /** madvise(2); returns false when the kernel refuses, which is no reason to fail. */
  public static boolean advise(MemorySegment range, int advice) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) MADVISE.handle().invokeExact(state, range, range.byteSize(), advice);
      return result == 0;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** Returns the size of a page of ordinary memory, in bytes. */
  public static int pageSize() {
    try (Arena arena = Arena.ofConfined()) {
      return (int) PAGE_SIZE.handle().invokeExact(Natives.callState(arena));
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
