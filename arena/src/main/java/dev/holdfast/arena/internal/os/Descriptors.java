package dev.holdfast.arena.internal.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * System calls on file descriptors and names. Each throws {@link ErrnoException} when the call
 * fails.
 */
public final class Descriptors {
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  public static final int O_RDONLY = 0;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0x40;
  public static final int O_EXCL = 0x80;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_CLOEXEC = 0x80000;
  public static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
  public static final int O_TMPFILE = 0x400000 | (ARM ? 0x4000 : 0x10000);
  public static final int LOCK_SHARED_NOT_BLOCKING = 1 | 4;
  public static final int LOCK_EXCLUSIVE_NOT_BLOCKING = 2 | 4;
  public static final int SEAL_SEAL = 1;
  public static final int SEAL_SHRINK = 2;
  public static final int SEAL_GROW = 4;
  public static final int MFD_CLOEXEC = 1;
  public static final int MFD_ALLOW_SEALING = 2;
  public static final int MFD_NOEXEC_SEAL = 8;

  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;
  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_FOLLOW = 0x400;
  private static final int SEEK_END = 2;

  private static final NativeFunction OPEN =
      NativeFunction.variadic("open", Natives.returnsInt(ADDRESS, JAVA_INT, JAVA_INT), 2);
  private static final NativeFunction CLOSE =
      NativeFunction.of("close", Natives.returnsInt(JAVA_INT));
  private static final NativeFunction DUP2 =
      NativeFunction.of("dup2", Natives.returnsInt(JAVA_INT, JAVA_INT));
  private static final NativeFunction FTRUNCATE =
      NativeFunction.of("ftruncate", Natives.returnsInt(JAVA_INT, JAVA_LONG));
  private static final NativeFunction FCHMOD =
      NativeFunction.of("fchmod", Natives.returnsInt(JAVA_INT, JAVA_INT));
  private static final NativeFunction FALLOCATE =
      NativeFunction.of("posix_fallocate", Natives.returnsInt(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final NativeFunction LSEEK =
      NativeFunction.of("lseek", Natives.returnsLong(JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final NativeFunction FLOCK =
      NativeFunction.of("flock", Natives.returnsInt(JAVA_INT, JAVA_INT));
  private static final NativeFunction FCNTL =
      NativeFunction.variadic("fcntl", Natives.returnsInt(JAVA_INT, JAVA_INT, JAVA_INT), 2);
  private static final NativeFunction LINKAT =
      NativeFunction.of(
          "linkat", Natives.returnsInt(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
  private static final NativeFunction UNLINK =
      NativeFunction.of("unlink", Natives.returnsInt(ADDRESS));
  private static final NativeFunction MEMFD_CREATE =
      NativeFunction.of("memfd_create", Natives.returnsInt(ADDRESS, JAVA_INT));
  private static final NativeFunction PIPE2 =
      NativeFunction.of("pipe2", Natives.returnsInt(ADDRESS, JAVA_INT));
  private static final NativeFunction STATVFS =
      NativeFunction.of("statvfs", Natives.returnsInt(ADDRESS, ADDRESS));

  private Descriptors() {}

  /** open(2). */
  public static int open(String path, int flags, int mode) throws ErrnoException {
    CLOSE.bind();
    UNLINK.bind();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) OPEN.handle().invokeExact(state, arena.allocateFrom(path), flags, mode);
      // what is said of a failure needs heap, which an open descriptor must not depend on
      if (result < 0) {
        throw new ErrnoException("open " + path, Natives.errno(state));
      }
      return result;
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /**
   * close(2). After an {@link ErrnoException} the descriptor is gone as well, as close(2) says of
   * Linux; after anything else it is open, and closing can be tried again.
   */
  public static void close(int descriptor) throws ErrnoException {
    boolean closed = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) CLOSE.handle().invokeExact(state, descriptor);
      closed = true;
      checked("close", result, state);
    } catch (Throwable e) {
      if (!closed || e instanceof ErrnoException) {
        throw failure(e);
      }
    }
  }

  /** pipe2(2); returns the end to read and the end to write, neither of which a child inherits. */
  public static int[] pipe() throws ErrnoException {
    CLOSE.bind();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment ends = arena.allocate(JAVA_INT, 2);
      int result = (int) PIPE2.handle().invokeExact(state, ends, O_CLOEXEC);
      checked("pipe2", result, state);
      return ends.toArray(JAVA_INT);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** dup2(2). */
  public static void dup2(int from, int to) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) DUP2.handle().invokeExact(state, from, to);
      checked("dup2", result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** ftruncate(2). */
  public static void setSize(int descriptor, long byteSize) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) FTRUNCATE.handle().invokeExact(state, descriptor, byteSize);
      checked("ftruncate", result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** fchmod(2). */
  public static void setMode(int descriptor, int mode) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) FCHMOD.handle().invokeExact(state, descriptor, mode);
      checked("fchmod", result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** posix_fallocate(3), which returns its error instead of setting errno. */
  public static void reserve(int descriptor, long offset, long byteSize) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      int error;
      do {
        error =
            (int)
                FALLOCATE
                    .handle()
                    .invokeExact(Natives.callState(arena), descriptor, offset, byteSize);
      } while (error == Errno.EINTR);
      if (error != 0) {
        throw new ErrnoException("posix_fallocate", error);
      }
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** Returns the size of the file behind a descriptor, in bytes. */
  public static long size(int descriptor) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      long result = (long) LSEEK.handle().invokeExact(state, descriptor, 0L, SEEK_END);
      if (result < 0) {
        throw new ErrnoException("lseek", Natives.errno(state));
      }
      return result;
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** flock(2), never blocking; returns false when somebody else has the lock. */
  public static boolean tryLock(int descriptor, int operation) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) FLOCK.handle().invokeExact(state, descriptor, operation);
      if (result != 0 && Natives.errno(state) == Errno.EAGAIN) {
        return false;
      }
      checked("flock", result, state);
      return true;
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** Adds seals to a memfd. */
  public static void addSeals(int descriptor, int seals) throws ErrnoException {
    var _ = fcntl(descriptor, F_ADD_SEALS, seals);
  }

  /** Returns the seals of a memfd; other files give EINVAL. */
  public static int seals(int descriptor) throws ErrnoException {
    return fcntl(descriptor, F_GET_SEALS, 0);
  }

  /** Gives the open file behind a descriptor a name, which must not exist. */
  public static void link(int descriptor, String name) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment from = arena.allocateFrom("/proc/self/fd/" + descriptor);
      int result =
          (int)
              LINKAT
                  .handle()
                  .invokeExact(
                      state, AT_FDCWD, from, AT_FDCWD, arena.allocateFrom(name), AT_SYMLINK_FOLLOW);
      checked("link " + name, result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** unlink(2). */
  public static void unlink(String name) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) UNLINK.handle().invokeExact(state, arena.allocateFrom(name));
      checked("unlink " + name, result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /** memfd_create(2). */
  public static int memfd(String label, int flags) throws ErrnoException {
    CLOSE.bind();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) MEMFD_CREATE.handle().invokeExact(state, arena.allocateFrom(label), flags);
      return checked("memfd_create", result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  /**
   * What statvfs(3) says of a mount.
   *
   * @param freeBytes bytes that this user may still take, the largest long where the file system
   *     does not count blocks (ramfs, a tmpfs or hugetlbfs without a limit of its own)
   * @param inodes all inodes, 0 where the file system does not count them
   * @param freeInodes inodes that this user may still take
   */
  public record MountSpace(long freeBytes, long inodes, long freeInodes) {}

  /** Returns the space of the mount that a path lies on. */
  public static MountSpace mountSpace(String path) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      MemorySegment answer = arena.allocate(256, 8);
      int result = (int) STATVFS.handle().invokeExact(state, arena.allocateFrom(path), answer);
      checked("statvfs " + path, result, state);
      // struct statvfs of 64-bit Linux: f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files,
      // f_ffree, f_favail
      long unit = answer.get(JAVA_LONG, 8);
      long blocks = answer.get(JAVA_LONG, 16);
      return new MountSpace(
          blocks == 0 ? Long.MAX_VALUE : Math.multiplyExact(unit, answer.get(JAVA_LONG, 32)),
          answer.get(JAVA_LONG, 40),
          answer.get(JAVA_LONG, 56));
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  private static int fcntl(int descriptor, int command, int argument) throws ErrnoException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = Natives.callState(arena);
      int result = (int) FCNTL.handle().invokeExact(state, descriptor, command, argument);
      return checked("fcntl", result, state);
    } catch (Throwable e) {
      throw failure(e);
    }
  }

  private static int checked(String call, int result, MemorySegment state) throws ErrnoException {
    if (result < 0) {
      throw new ErrnoException(call, Natives.errno(state));
    }
    return result;
  }

  /** Rethrows what a body threw: our exception as it is, anything else as an error. */
  private static ErrnoException failure(Throwable thrown) {
    if (thrown instanceof ErrnoException errno) {
      return errno;
    }
    throw Natives.unexpected(thrown);
  }
}
