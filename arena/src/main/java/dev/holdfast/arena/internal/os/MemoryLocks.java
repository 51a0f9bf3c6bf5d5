package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** mlock(2) and munlock(2). */
public final class MemoryLocks {
  private MemoryLocks() {}

  private static final class Handles {
    static final MethodHandle MLOCK = Natives.bind("mlock", Natives.returnsInt(ADDRESS, JAVA_LONG));
    static final MethodHandle MUNLOCK =
        Natives.bind("munlock", Natives.returnsInt(ADDRESS, JAVA_LONG));
  }

  /** Brings pages into memory and keeps them there. A refusal can leave some of them locked. */
  public static void lock(MemorySegment pages) throws ErrnoException {
    call("mlock", Handles.MLOCK, pages);
  }

  /** Ends {@link #lock}, however often it was called. */
  public static void unlock(MemorySegment pages) throws ErrnoException {
    call("munlock", Handles.MUNLOCK, pages);
  }

  private static void call(String name, MethodHandle handle, MemorySegment pages)
      throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) handle.invokeExact(state, pages, pages.byteSize());
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
