package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Fresh files in a folder, locked by this process. Where the file system has O_TMPFILE such a file
 * never had a name; elsewhere it has one of its own that nobody else uses, and after the lock was
 * taken the name is checked to lead to it still, since a sweep could have taken it for a leftover
 * in between.
 */
final class Draft {
  static final int OWNER_ONLY = 0600;

  private static final int MOST_DRAWS = 100;

  private Draft() {}

  static OpenFile open(Place place, long byteSize) {
    SharedFiles.step();
    place.requireFile(byteSize);
    place.requireSpace(byteSize, byteSize);
    Path folder = Objects.requireNonNull(place.folder());
    try {
      OpenFile draft = openAnonymous(place, folder);
      while (draft == null || !claimed(draft)) {
        draft = createNamed(place, folder);
      }
      return draft;
    } catch (ErrnoException e) {
      throw SharedFiles.refused("shared memory could not be opened", place.name(), byteSize, e);
    }
  }

  /** A name that somebody else has is left alone and another one drawn. */
  private static OpenFile createNamed(Place place, Path folder) throws ErrnoException {
    for (int draws = 1; ; draws++) {
      Path name = folder.resolve(StaleFiles.DRAFT_PREFIX + UUID.randomUUID());
      try {
        return OpenFile.ofDraft(place.name(), name, () -> createExclusively(name));
      } catch (ErrnoException e) {
        if (e.errno() != Errno.EEXIST || draws == MOST_DRAWS) {
          throw e;
        }
      }
    }
  }

  /**
   * Locks the file. Fails, and gives it up, when another process, on its search for leftovers, has
   * the lock at this moment or has taken the name away before this one had it.
   */
  private static boolean claimed(OpenFile draft) throws ErrnoException {
    boolean claimed = false;
    try {
      Path name = draft.draft();
      claimed =
          Descriptors.tryLock(draft.descriptor(), Descriptors.LOCK_EXCLUSIVE_NOT_BLOCKING)
              && (name == null || draft.leadsHere(name));
      return claimed;
    } finally {
      if (!claimed) {
        draft.close();
      }
    }
  }

  /** Returns a file that never has a name, or null where the file system cannot. */
  private static @Nullable OpenFile openAnonymous(Place place, Path folder) throws ErrnoException {
    if (FaultPoint.ENABLED && FaultPoint.NO_TMPFILE.fires()) {
      return null;
    }
    try {
      return OpenFile.of(
          place.name(),
          () ->
              Descriptors.open(
                  folder.toString(),
                  Descriptors.O_TMPFILE | Descriptors.O_RDWR | Descriptors.O_CLOEXEC,
                  OWNER_ONLY));
    } catch (ErrnoException e) {
      boolean unknown = e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EISDIR;
      if (unknown && Files.isDirectory(folder)) {
        return null;
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
