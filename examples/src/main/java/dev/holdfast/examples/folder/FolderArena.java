package dev.holdfast.examples.folder;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemoryArena;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * An arena on a disk: each unit is a file in a folder, which the reader maps and removes. For units
 * that are too large or too many for shared memory. The page cache still saves the copy on the
 * reader's side, and a writer that is ahead waits.
 *
 * <p>What crosses to the worker is this object's fields. It knows the public packages alone, and
 * everything that the loader needs of an arena is here. It is kept small: the endpoints are not
 * claimed, so that it is up to the user to have one of each; and a new arena needs a new folder.
 */
public final class FolderArena implements SharedMemoryArena {
  private static final long serialVersionUID = 1L;
  private static final String UNIT = "unit-";

  private final UUID arenaId = UUID.randomUUID();
  private final String folder;
  private final int mostUnread;

  /**
   * Makes an arena.
   *
   * @param folder an empty folder
   * @param mostUnread how many units may lie there unread before the writer waits
   */
  public FolderArena(Path folder, int mostUnread) {
    this.folder = folder.toAbsolutePath().toString();
    this.mostUnread = mostUnread;
  }

  @Override
  public UUID arenaId() {
    return arenaId;
  }

  @Override
  public ArenaWriter openWriter() {
    return new FolderWriter(this);
  }

  @Override
  public ArenaReader openReader() {
    return new FolderReader(this);
  }

  /** The file of a unit. */
  Path unit(long number) {
    return Path.of(folder, UNIT + number);
  }

  /** The file of the unit that is being written. */
  Path draft() {
    return Path.of(folder, "draft");
  }

  /** Whether another process has ended the arena. */
  boolean isShutDown() {
    return Files.exists(stop());
  }

  boolean isFull() {
    return units().size() >= mostUnread;
  }

  private Path stop() {
    return Path.of(folder, "stop");
  }

  private List<Path> units() {
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      return files.filter(file -> file.getFileName().toString().startsWith(UNIT)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void shutdown() {
    try {
      if (!isShutDown()) {
        Files.createFile(stop());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    // nothing is open here: views have mappings of their own
  }

  @Override
  public void unlink() {
    try {
      for (Path file : units()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(draft());
      Files.deleteIfExists(stop());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
