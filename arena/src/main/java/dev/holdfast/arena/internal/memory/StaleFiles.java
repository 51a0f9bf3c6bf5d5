package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Named files whose owner is gone. The owner holds flock(2) on its file while it lives, so a file
 * whose lock can be had is stale, whatever pid it names. Only files of the own user are looked at,
 * and only those that begin with our magic or carry our draft prefix.
 */
public final class StaleFiles {
  /** Starts the names under which files are made where O_TMPFILE is missing. */
  static final String DRAFT_PREFIX = ".holdfast-draft-";

  /** What became of a leftover. */
  public enum Outcome {
    /** It was stale and is removed. */
    REMOVED,
    /** It is stale: its owner is gone. */
    STALE,
    /** Its owner lives. */
    IN_USE,
    /** It belongs to another user. */
    FOREIGN,
    /** It could not be examined or removed. */
    FAILED
  }

  /**
   * One file of ours in a folder.
   *
   * @param file the file
   * @param outcome what became of it
   * @param reason why, in words
   */
  public record Leftover(Path file, Outcome outcome, String reason) {}

  private StaleFiles() {}

  /** Removes stale files of the own user from a folder and returns all that look like ours. */
  public static List<Leftover> removeStale(Path folder) {
    return examineAll(folder, true);
  }

  /**
   * Returns all files of a folder that look like ours, and changes nothing: for a moment it has a
   * shared lock on each file of the own user, which is how it learns whether the owner lives.
   */
  public static List<Leftover> list(Path folder) {
    return examineAll(folder, false);
  }

  private static List<Leftover> examineAll(Path folder, boolean remove) {
    List<Leftover> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        examine(file, remove, found);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException(e.getCause());
    }
    return found;
  }

  /** Fails when a name is taken. */
  static void requireFree(Path file) {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IllegalArgumentException(
          FailureDetail.of("the backing file exists and is not a stale arena of this user")
              .with("file", file)
              .advise("name another file, or remove this one if nobody needs it")
              .message());
    }
  }

  private static void examine(Path file, boolean remove, List<Leftover> found) {
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      int user = (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      boolean own = user == Processes.userId();
      if (!looksLikeOurs(file, own)) {
        return;
      }
      if (!own) {
        found.add(new Leftover(file, Outcome.FOREIGN, "belongs to user " + user));
        return;
      }
      found.add(removeIfUnlocked(file, remove));
    } catch (NoSuchFileException e) {
      return; // somebody was faster
    } catch (IOException e) {
      found.add(new Leftover(file, Outcome.FAILED, String.valueOf(e.getMessage())));
    }
  }

  private static Leftover removeIfUnlocked(Path file, boolean remove) throws IOException {
    int flags =
        (remove ? Descriptors.O_RDWR : Descriptors.O_RDONLY)
            | Descriptors.O_NOFOLLOW
            | Descriptors.O_NONBLOCK
            | Descriptors.O_CLOEXEC;
    OpenFile found =
        OpenFile.of(file.toString(), () -> Descriptors.open(file.toString(), flags, 0));
    try {
      int lock =
          remove ? Descriptors.LOCK_EXCLUSIVE_NOT_BLOCKING : Descriptors.LOCK_SHARED_NOT_BLOCKING;
      if (!Descriptors.tryLock(found.descriptor(), lock)) {
        return new Leftover(file, Outcome.IN_USE, "its owner holds the lock");
      }
      Object locked =
          Files.getAttribute(Path.of("/proc/self/fd/" + found.descriptor()), "unix:ino");
      if (!locked.equals(Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS))) {
        return new Leftover(file, Outcome.IN_USE, "the name leads to a newer file");
      }
      if (!remove) {
        return new Leftover(file, Outcome.STALE, "its owner is gone; can be removed");
      }
      Descriptors.unlink(file.toString());
      return new Leftover(file, Outcome.REMOVED, "its owner is gone");
    } catch (ErrnoException e) {
      if (e.errno() == Errno.ENOENT) {
        return new Leftover(file, Outcome.REMOVED, "another process removed it");
      }
      throw e;
    } finally {
      found.close();
    }
  }

  private static boolean looksLikeOurs(Path file, boolean readable) throws IOException {
    String name = String.valueOf(file.getFileName());
    if (name.startsWith(DRAFT_PREFIX)) {
      return true;
    }
    if (!readable) {
      return name.contains("holdfast");
    }
    if (Files.size(file) < ArenaLayout.HEADER_BYTES) {
      return false;
    }
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer start = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      return channel.read(start) == Long.BYTES && start.getLong(0) == ArenaLayout.MAGIC;
    } catch (AccessDeniedException e) {
      return false; // ours are readable by their owner
    }
  }
}
