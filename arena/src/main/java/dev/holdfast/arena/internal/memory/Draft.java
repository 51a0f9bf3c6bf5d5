package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A fresh file in a folder, locked by this process. Where the file system has O_TMPFILE it never
 * had a name; elsewhere it has one of its own that nobody else uses, and after the lock was taken
 * the name is checked to lead to it still, since a sweep could have taken it for a leftover in
 * between.
 *
 * @param descriptor open for reading and writing
 * @param name the draft's name, or null when it has none
 */
record Draft(int descriptor, @Nullable Path name) {
  static final int OWNER_ONLY = 0600;

  private static final int MOST_DRAWS = 100;

  static Draft open(Place place, long byteSize) {
    SharedFiles.step();
    place.requireFile(byteSize);
    place.requireSpace(byteSize, byteSize);
    Path folder = Objects.requireNonNull(place.folder());
    try {
      int anonymous = openAnonymous(folder);
      Draft draft = anonymous >= 0 ? new Draft(anonymous, null) : createNamed(folder);
      while (!draft.claimed()) {
        draft.abandon();
        draft = createNamed(folder);
      }
      return draft;
    } catch (ErrnoException e) {
      throw SharedFiles.refused("shared memory could not be opened", place.name(), byteSize, e);
    }
  }

  /** Removes the draft's name if it has one. */
  void remove() {
    if (name != null) {
      try {
        Descriptors.unlink(name.toString());
      } catch (ErrnoException e) {
        if (e.errno() != Errno.ENOENT) {
          throw new IllegalStateException("a draft could not be removed: file=" + name, e);
        }
      }
    }
  }

  /** Returns whether a name leads to the file of this draft. */
  boolean leadsHere(Path other) {
    try {
      Object own = Files.getAttribute(Path.of("/proc/self/fd/" + descriptor), "unix:ino");
      return own.equals(Files.getAttribute(other, "unix:ino", LinkOption.NOFOLLOW_LINKS));
    } catch (IOException e) {
      return false;
    }
  }

  /** A name that somebody else has is left alone and another one drawn. */
  private static Draft createNamed(Path folder) throws ErrnoException {
    for (int draws = 1; ; draws++) {
      Path name = folder.resolve(StaleFiles.DRAFT_PREFIX + UUID.randomUUID());
      try {
        return new Draft(createExclusively(name), name);
      } catch (ErrnoException e) {
        if (e.errno() != Errno.EEXIST || draws == MOST_DRAWS) {
          throw e;
        }
      }
    }
  }

  /**
   * Locks the file. Fails when another process, on its search for leftovers, has the lock at this
   * moment or has taken the name away before this one had it.
   */
  private boolean claimed() throws ErrnoException {
    try {
      return Descriptors.tryLock(descriptor, Descriptors.LOCK_EXCLUSIVE_NOT_BLOCKING)
          && (name == null || leadsHere(name));
    } catch (ErrnoException e) {
      abandon();
      throw e;
    }
  }

  private void abandon() throws ErrnoException {
    remove();
    Descriptors.close(descriptor);
  }

  /** Returns a descriptor of a file that never has a name, or -1 where the file system cannot. */
  private static int openAnonymous(Path folder) throws ErrnoException {
    if (FaultPoint.ENABLED && FaultPoint.NO_TMPFILE.fires()) {
      return -1;
    }
    try {
      return Descriptors.open(
          folder.toString(),
          Descriptors.O_TMPFILE | Descriptors.O_RDWR | Descriptors.O_CLOEXEC,
          OWNER_ONLY);
    } catch (ErrnoException e) {
      boolean unknown = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EISDIR;
      if (unknown && Files.isDirectory(folder)) {
        return -1;
      }
      throw e;
    }
  }

  private static int createExclusively(Path name) throws ErrnoException {
    if (FaultPoint.ENABLED && FaultPoint.NAME_TAKEN.fires()) {
      Descriptors.close(openNew(name)); // as somebody else would
    }
    return openNew(name);
  }

  private static int openNew(Path name) throws ErrnoException {
    return Descriptors.open(
        name.toString(),
        Descriptors.O_CREAT
            | Descriptors.O_EXCL
            | Descriptors.O_NOFOLLOW
            | Descriptors.O_RDWR
            | Descriptors.O_CLOEXEC,
        OWNER_ONLY);
  }
}
