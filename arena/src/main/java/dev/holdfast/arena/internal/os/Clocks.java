package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Clocks of the machine that Java has no call for. */
public final class Clocks {
  private static final int CLOCK_BOOTTIME = 7;

  private static final NativeFunction CLOCK_GETTIME =
      NativeFunction.of("clock_gettime", Natives.returnsInt(JAVA_INT, ADDRESS));

  private Clocks() {}

  /**
   * Returns nanoseconds since boot (clock_gettime(2), CLOCK_BOOTTIME), the same in every process.
   */
  public static long bootNanos() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(16, 8);
      var _ =
          (int) CLOCK_GETTIME.handle().invokeExact(Natives.callState(arena), CLOCK_BOOTTIME, time);
      return time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
