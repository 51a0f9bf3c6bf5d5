package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The file behind a mapping as errors tell of it. Keeps nothing open, so its size is known as long
 * as the path leads to it.
 *
 * @param place the file's name, or what memory it is
 * @param path where it was opened
 * @param key which file it was there, null when that could not be read
 */
public record FileTrace(String place, Path path, @Nullable Object key) {

  static FileTrace of(String place, Path path) {
    BasicFileAttributes now = read(path);
    return new FileTrace(place, path, now == null ? null : now.fileKey());
  }

  private static @Nullable BasicFileAttributes read(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException e) {
      return null; // it is gone, and so nobody knows its size
    }
  }

  /** Returns the error of an access to the mapped file that the JVM has reported. */
  public ArenaCorruptedException fault(long expectedBytes, InternalError e) {
    long found = sizeNow();
    if (found >= 0 && found < expectedBytes) {
      return new ArenaCorruptedException(shrunken(place, expectedBytes, found), e);
    }
    FailureDetail detail =
        FailureDetail.of("the memory of an arena cannot be accessed")
            .with("place", place)
            .with("expectedBytes", expectedBytes);
    return new ArenaCorruptedException(
        (found < 0 ? detail : detail.with("foundBytes", found))
            .advise(
                "somebody cut short the backing file, which Backing.memfd prevents, or the file"
                    + " behind the source of a copy"),
        e);
  }

  /** Returns the file's size, or -1 when the path does not lead to it any more. */
  private long sizeNow() {
    BasicFileAttributes now = read(path);
    return now == null || key == null || !key.equals(now.fileKey()) ? -1 : now.size();
  }

  /** Returns what to say of a file that is smaller than it was made. */
  static FailureDetail shrunken(String place, long expectedBytes, long foundBytes) {
    return FailureDetail.of("the backing file shrank")
        .with("place", place)
        .with("expectedBytes", expectedBytes)
        .with("foundBytes", foundBytes)
        .advise("somebody cut it short; Backing.memfd cannot be cut");
  }
}
