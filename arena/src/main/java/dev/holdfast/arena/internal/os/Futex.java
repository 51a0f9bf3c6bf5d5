package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * futex(2) on shared memory: a wait that owns nothing, so that a process killed inside it leaves
 * nothing locked.
 */
public final class Futex {
  private static final int WAIT = 0;
  private static final int WAKE = 1;
  private static final long SYSCALL = System.getProperty("os.arch").equals("aarch64") ? 98 : 202;

  private static final NativeFunction FUTEX =
      NativeFunction.variadic(
          "syscall",
          Natives.returnsLong(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT),
          1);

  private Futex() {}

  /** Makes sure that it works later, whatever lacks then: who gives something back wakes. */
  public static void prepare() {
    FUTEX.bind();
  }

  /**
   * Waits while the word has a value, at most for a time; may return early. Never called by a
   * virtual thread.
   *
   * @param word four bytes, aligned
   * @param seen the value
   * @param nanos the limit
   */
  public static void await(MemorySegment word, int seen, long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(16, 8);
      time.set(JAVA_LONG, 0, nanos / 1_000_000_000L);
      time.set(JAVA_LONG, 8, nanos % 1_000_000_000L);
      var _ =
          (long)
              FUTEX
                  .handle()
                  .invokeExact(
                      Natives.callState(arena),
                      SYSCALL,
                      word,
                      WAIT,
                      seen,
                      time,
                      MemorySegment.NULL,
                      0);
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /**
   * Wakes all who wait on a word, in every process.
   *
   * @param word four bytes, aligned
   */
  public static void wake(MemorySegment word) {
    try (Arena arena = Arena.ofConfined()) {
      var _ =
          (long)
              FUTEX
                  .handle()
                  .invokeExact(
                      Natives.callState(arena),
                      SYSCALL,
                      word,
                      WAKE,
                      Integer.MAX_VALUE,
                      MemorySegment.NULL,
                      MemorySegment.NULL,
                      0);
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
