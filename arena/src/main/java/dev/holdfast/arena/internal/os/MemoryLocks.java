package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** mlock(2) and munlock(2), and mincore(2), which says what mlock would have to bring in. */
public final class MemoryLocks {
  private static final long PAGES_AT_A_TIME = 1L << 16;

  private static final NativeFunction MLOCK =
      NativeFunction.of("mlock", Natives.returnsInt(ADDRESS, JAVA_LONG));
  private static final NativeFunction MUNLOCK =
      NativeFunction.of("munlock", Natives.returnsInt(ADDRESS, JAVA_LONG));
  private static final NativeFunction MINCORE =
      NativeFunction.of("mincore", Natives.returnsInt(ADDRESS, JAVA_LONG, ADDRESS));

  private MemoryLocks() {}

  /** Returns how many bytes of pages are not in memory now; all of them when nobody knows. */
  public static long missingBytes(MemorySegment pages) {
    long pageSize = Mappings.pageSize();
    long missing = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment present = arena.allocate(PAGES_AT_A_TIME);
      for (long done = 0; done < pages.byteSize(); done += PAGES_AT_A_TIME * pageSize) {
        MemorySegment part =
            pages.asSlice(done, Math.min(PAGES_AT_A_TIME * pageSize, pages.byteSize() - done));
        if ((int) MINCORE.handle().invokeExact(state, part, part.byteSize(), present) != 0) {
          return pages.byteSize();
        }
        long count = (part.byteSize() + pageSize - 1) / pageSize;
        for (long page = 0; page < count; page++) {
          missing += (1 - (present.get(ValueLayout.JAVA_BYTE, page) & 1)) * pageSize;
        }
      }
      return Math.min(missing, pages.byteSize());
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** Brings pages into memory and keeps them there. A refusal can leave some of them locked. */
  public static void lock(MemorySegment pages) throws ErrnoException {
    MUNLOCK.bind();
    call("mlock", MLOCK, pages);
  }

  /** Ends {@link #lock}, however often it was called. */
  public static void unlock(MemorySegment pages) throws ErrnoException {
    call("munlock", MUNLOCK, pages);
  }

  private static void call(String name, NativeFunction function, MemorySegment pages)
      throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) function.handle().invokeExact(state, pages, pages.byteSize());
      if (result != 0) {
        throw new ErrnoException(name, Natives.errno(state));
      }
    } catch (ErrnoException e) {
      throw e;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
