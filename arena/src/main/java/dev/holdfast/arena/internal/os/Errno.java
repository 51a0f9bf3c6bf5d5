package dev.holdfast.arena.internal.os;

/**
 * Error numbers of Linux that we tell apart; the same on x86-64 and AArch64 (asm-generic/errno.h).
 */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EEXIST = 17;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int EFBIG = 27;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int ENOSYS = 38;
  public static final int EOPNOTSUPP = 95;
  public static final int ETIMEDOUT = 110;
  public static final int EDQUOT = 122;

  private Errno() {}

  /** Returns the error's name and meaning. */
  public static String describe(int errno) {
    String meaning =
        switch (errno) {
          case EPERM -> "EPERM, not permitted";
          case ENOENT -> "ENOENT, no such file or folder";
          case EINTR -> "EINTR, interrupted";
          case EAGAIN -> "EAGAIN, try again or locked";
          case ENOMEM -> "ENOMEM, out of memory";
          case EACCES -> "EACCES, permission denied";
          case EFAULT -> "EFAULT, bad address";
          case EEXIST -> "EEXIST, exists already";
          case ENOTDIR -> "ENOTDIR, not a folder";
          case EISDIR -> "EISDIR, is a folder";
          case EINVAL -> "EINVAL, invalid argument";
          case ENFILE -> "ENFILE, too many open files in the system";
          case EMFILE -> "EMFILE, too many open files";
          case EFBIG -> "EFBIG, file too large";
          case ENOSPC -> "ENOSPC, no space left";
          case EROFS -> "EROFS, read-only file system";
          case ENOSYS -> "ENOSYS, not known to this kernel";
          case EOPNOTSUPP -> "EOPNOTSUPP, not supported here";
          case ETIMEDOUT -> "ETIMEDOUT, timed out";
          case EDQUOT -> "EDQUOT, quota exceeded";
          default -> "error";
        };
    return meaning + " (errno " + errno + ")";
  }
}
