package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

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
  private static int openPidfd(long pid) throws ErrnoException {
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
   * Looks whether a process lives, and ends this one, with what was taken at the beginning: user
   * code may have filled the heap. One thread's.
   */
  public static final class Watch {
    /** After so many calls the JVM makes a variant of a method handle, for which it needs heap. */
    private static final int REHEARSALS = 300;

    /** In the place of a descriptor: each look reads {@code /proc/PID/stat}. */
    static final int NONE = -1;

    private final ProcessIdentity watched;
    private final int self = (int) ProcessIdentity.current().pid();
    private final MemorySegment state = Arena.global().allocate(Natives.CALL_STATE);
    private final MemorySegment request = Arena.global().allocate(8, 4);
    private final MethodHandle poll = POLL.handle();
    private final MethodHandle kill = KILL.handle();
    private final int descriptor;
    private final boolean gone;

    /** Begins to watch a process; keeps a descriptor for as long as this one lives. */
    public Watch(ProcessIdentity watched) {
      this(watched, open(watched.pid()));
    }

    /**
     * Begins to watch a process.
     *
     * @param descriptor what {@link #open} has returned for its pid
     */
    Watch(ProcessIdentity watched, int descriptor) {
      this.watched = watched;
      this.descriptor = descriptor;
      this.gone = !watched.isAlive(); // the descriptor may lead to whoever has the pid by now
      for (int i = 0; i < REHEARSALS; i++) {
        if (descriptor != NONE) { // without one each look reads a file, and needs heap anyway
          var _ = lives();
        }
        signalSelf(0); // which only asks whether it could be sent
      }
    }

    /** Returns the pidfd, or {@link #NONE} where the kernel or a sandbox refuses them. */
    private static int open(long pid) {
      try {
        return openPidfd(pid);
      } catch (ErrnoException e) {
        return NONE;
      }
    }

    /** Returns whether it lives; without a pidfd that needs heap to be found out. */
    public boolean lives() {
      if (gone) {
        return false;
      }
      if (descriptor == NONE) {
        return watched.isAlive();
      }
      try {
        request.set(JAVA_INT, 0, descriptor);
        request.set(JAVA_SHORT, 4, POLLIN);
        int result = (int) poll.invokeExact(state, request, 1L, 0);
        return result <= 0 || (request.get(JAVA_SHORT, 6) & POLLIN) == 0;
      } catch (Throwable e) {
        throw Natives.unexpected(e);
      }
    }

    /** Ends this process, with SIGKILL, which waits for no safepoint. */
    public void endSelf() {
      signalSelf(SIGKILL);
    }

    private void signalSelf(int signal) {
      try {
        var _ = (int) kill.invokeExact(state, self, signal);
      } catch (Throwable e) {
        throw Natives.unexpected(e);
      }
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
