package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** System calls on processes. */
public final class Processes {
  public static final int SIGKILL = 9;
  public static final int SIGTERM = 15;

  private static final long PIDFD_OPEN = 434;
  private static final int PR_SET_PDEATHSIG = 1;
  private static final short POLLIN = 1;

  private static final NativeFunction KILL =
      NativeFunction.of("kill", Natives.returnsInt(JAVA_INT, JAVA_INT));
  private static final NativeFunction PRCTL =
      NativeFunction.variadic("prctl", Natives.returnsInt(JAVA_INT, JAVA_LONG), 1);
  private static final NativeFunction PIDFD =
      NativeFunction.variadic("syscall", Natives.returnsLong(JAVA_LONG, JAVA_INT, JAVA_INT), 1);
  private static final NativeFunction POLL =
      NativeFunction.of("poll", Natives.returnsInt(ADDRESS, JAVA_LONG, JAVA_INT));
  private static final NativeFunction GETUID = NativeFunction.of("getuid", Natives.returnsInt());

  private Processes() {}

  /**
   * kill(2); unlike {@code Runtime.halt} it does not wait for a safepoint.
   *
   * @return false when there is no such process or the kernel refuses
   */
  public static boolean kill(long pid, int signal) {
    try (Arena arena = Arena.ofConfined()) {
      int result = (int) KILL.handle().invokeExact(Natives.callState(arena), (int) pid, signal);
      return result == 0;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** Asks the kernel for a signal when the thread that started this process ends (prctl(2)). */
  public static void setParentDeathSignal(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      var _ =
          (int)
              PRCTL.handle().invokeExact(Natives.callState(arena), PR_SET_PDEATHSIG, (long) signal);
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** pidfd_open(2). */
  public static int openPidfd(long pid) throws ErrnoException {
    KILL.bind(); // whoever watches a process may have to end one
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      long result = (long) PIDFD.handle().invokeExact(state, PIDFD_OPEN, (int) pid, 0);
      if (result < 0) {
        throw new ErrnoException("pidfd_open", Natives.errno(state));
      }
      return (int) result;
    } catch (ErrnoException e) {
      throw e;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /**
   * Waits until a descriptor can be read; a pidfd can when its process has ended. Never called by a
   * virtual thread.
   *
   * @return true when it can
   */
  public static boolean pollReadable(int descriptor, int timeoutMillis) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(8, 4);
      request.set(JAVA_INT, 0, descriptor);
      request.set(JAVA_SHORT, 4, POLLIN);
      int result =
          (int) POLL.handle().invokeExact(Natives.callState(arena), request, 1L, timeoutMillis);
      return result > 0 && (request.get(JAVA_SHORT, 6) & POLLIN) != 0;
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }

  /** Returns the real user id of this process. */
  public static int userId() {
    try (Arena arena = Arena.ofConfined()) {
      return (int) GETUID.handle().invokeExact(Natives.callState(arena));
    } catch (Throwable e) {
      throw Natives.unexpected(e);
    }
  }
}
