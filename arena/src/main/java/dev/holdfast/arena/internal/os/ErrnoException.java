package dev.holdfast.arena.internal.os;

import java.io.IOException;

/** A system call failed. */
public final class ErrnoException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  ErrnoException(String call, int errno) {
    super(call + ": " + Errno.describe(errno));
    this.errno = errno;
  }

  /** Returns the error number. */
  public int errno() {
    return errno;
  }
}
