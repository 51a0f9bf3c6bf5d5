package dev.holdfast.peers;

import dev.holdfast.cli.bench.NotSupportedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder for the files of a peer: in shared memory where there is room, otherwise in the
 * temporary folder. {@link #close} removes it with all that is in it. Its owner holds a lock on a
 * file in it for as long as the process lives, so that the next one sees which folders were left by
 * a process that was killed, and removes those.
 */
final class PeerFolder implements AutoCloseable {
  private static final String PREFIX = "holdfast-peer-";
  private static final String LOCK = "lock";
  private static final Duration YOUNG = Duration.ofMinutes(1);

  private final Path path;
  private final FileChannel lock;

  private PeerFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Makes a folder.
   *
   * @param peer the peer's name
   * @param bytes how much its files may take
   * @throws NotSupportedException when there is no room
   */
  static PeerFolder create(String peer, long bytes) throws IOException, NotSupportedException {
    Path parent = withRoom(bytes);
    sweep(parent);
    Path path = Files.createTempDirectory(parent, PREFIX + peer + "-");
    FileChannel lock =
        FileChannel.open(
            path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      lock.close();
      throw new IOException("the new folder is locked: folder=" + path);
    }
    return new PeerFolder(path, lock);
  }

  Path path() {
    return path;
  }

  private static Path withRoom(long bytes) throws IOException, NotSupportedException {
    Path shared = Path.of("/dev/shm");
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    for (Path parent : new Path[] {shared, temporary}) {
      if (Files.isWritable(parent) && room(parent) >= bytes) {
        return parent;
      }
    }
    throw new NotSupportedException(
        "its files may take "
            + bytes
            + " bytes, for which neither "
            + shared
            + " nor "
            + temporary
            + " has room");
  }

  private static long room(Path folder) throws IOException {
    FileStore store = Files.getFileStore(folder);
    return store.getUsableSpace();
  }

  private static void sweep(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      for (Path folder :
          files.filter(file -> file.getFileName().toString().startsWith(PREFIX)).toList()) {
        if (isLeft(folder)) {
          remove(folder);
        }
      }
    }
  }

  /** A folder without a lock file may be one that is just being made. */
  private static boolean isLeft(Path folder) {
    Path file = folder.resolve(LOCK);
    try {
      Instant made = Files.getLastModifiedTime(file).toInstant();
      if (made.isAfter(Instant.now().minus(YOUNG))) {
        return false;
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        FileLock held = channel.tryLock();
        return held != null;
      }
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  private static void remove(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Override
  public void close() throws IOException {
    try (lock) {
      remove(path);
    }
  }
}
