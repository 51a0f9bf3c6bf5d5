package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The clocks by which the kernel counts the processor time of whole processes. */
public final class CpuClocks {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private static final NativeFunction CLOCK =
      NativeFunction.of("clock_getcpuclockid", Natives.returnsInt(JAVA_INT, ADDRESS));
  private static final NativeFunction TIME =
      NativeFunction.of("clock_gettime", Natives.returnsInt(JAVA_INT, ADDRESS));

  private CpuClocks() {}

  /**
   * Returns the processor time of a process, user and system, of all threads it ever had
   * (clock_getcpuclockid(3)).
   *
   * @return nanoseconds, or -1 when there is no such process
   */
  public static long nanosOf(long pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment clock = arena.allocate(JAVA_INT);
      if ((int) CLOCK.handle().invokeExact(state, (int) pid, clock) != 0) {
        return -1;
      }
      MemorySegment time = arena.allocate(JAVA_LONG, 2);
      int result = (int) TIME.handle().invokeExact(state, clock.get(JAVA_INT, 0), time);
      return result == 0
          ? time.getAtIndex(JAVA_LONG, 0) * NANOS_PER_SECOND + time.getAtIndex(JAVA_LONG, 1)
          : -1;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
