package dev.holdfast.arena.internal.inspect;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.internal.inspect.ArenaMappings.FileKey;
import dev.holdfast.arena.internal.inspect.ArenaMappings.MappedFile;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.os.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the arenas that running processes map.
 *
 * <p>The bytes are read through a descriptor that a process has of the file, and where no process
 * has one any more (the arena is unlinked) from the memory of a process that maps it. A process
 * that ends meanwhile is as good as one that was not there.
 */
public final class ArenaFinder {
  private static final String DELETED = " (deleted)";

  private final Map<FileKey, Sighting> sightings = new LinkedHashMap<>();
  private final List<Long> unreadable = new ArrayList<>();

  private record Sighting(MappedFile file, Map<Long, MappedFile> byPid) {}

  /**
   * What was found.
   *
   * @param arenas in the order of their first process
   * @param unreadable processes whose mappings could not be listed
   */
  public record Result(List<FoundArena> arenas, List<Long> unreadable) {
    public Result {
      arenas = List.copyOf(arenas);
      unreadable = List.copyOf(unreadable);
    }
  }

  private ArenaFinder() {}

  /** Finds the arenas that any process of this user maps. */
  public static Result ofUser() {
    ArenaFinder finder = new ArenaFinder();
    for (long pid : processesOfUser()) {
      finder.look(pid);
    }
    return finder.result(null);
  }

  /** Finds the arenas that one process maps, and which other processes of this user map them. */
  public static Result ofProcess(long pid) {
    ArenaFinder finder = new ArenaFinder();
    finder.look(pid);
    List<Long> asked = List.copyOf(finder.unreadable);
    if (!finder.sightings.isEmpty()) {
      for (long other : processesOfUser()) {
        if (other != pid) {
          finder.look(other);
        }
      }
    }
    Result all = finder.result(pid);
    return new Result(all.arenas, asked);
  }

  /** Reads the arena in a file. */
  public static FoundArena inFile(Path file) {
    long byteSize = 0;
    try (ByteSource source = ByteSource.ofFile(file)) {
      byteSize = source.byteSize();
      String place = file.toString();
      return new FoundArena(place, byteSize, List.of(), ArenaView.read(source, place), null);
    } catch (IOException | ArenaCorruptedException e) {
      return new FoundArena(
          file.toString(), byteSize, List.of(), null, String.valueOf(e.getMessage()));
    }
  }

  private static List<Long> processesOfUser() {
    List<Long> pids = new ArrayList<>();
    long user = Processes.userId();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        if (isOf(entry, user)) {
          pids.add(Long.parseLong(String.valueOf(entry.getFileName())));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list /proc", e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException("cannot list /proc", e.getCause());
    }
    pids.sort(null);
    return pids;
  }

  private static boolean isOf(Path process, long user) {
    try {
      return (int) Files.getAttribute(process, "unix:uid") == user;
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  private void look(long pid) {
    try {
      ArenaMappings.of(pid)
          .forEach(
              (key, file) ->
                  sightings
                      .computeIfAbsent(key, _ -> new Sighting(file, new LinkedHashMap<>()))
                      .byPid
                      .put(pid, file));
    } catch (IOException e) {
      if (Files.exists(Path.of("/proc/" + pid))) {
        unreadable.add(pid);
      }
    }
  }

  private Result result(@Nullable Long mappedBy) {
    List<FoundArena> arenas = new ArrayList<>();
    for (Sighting sighting : sightings.values()) {
      if (mappedBy == null || sighting.byPid.containsKey(mappedBy)) {
        FoundArena arena = examine(sighting);
        if (arena != null) {
          arenas.add(arena);
        }
      }
    }
    return new Result(arenas, unreadable);
  }

  /** Returns what a sighting is, or null when it is no arena. */
  private static @Nullable FoundArena examine(Sighting sighting) {
    String place = sighting.file.path();
    List<Long> pids = List.copyOf(sighting.byPid.keySet());
    String failure = "no process that maps it can be read";
    long byteSize = sighting.file.byteSize();
    for (Map.Entry<Long, MappedFile> mapped : sighting.byPid.entrySet()) {
      try (ByteSource source = open(mapped.getKey(), mapped.getValue())) {
        if (!isArena(sighting.file, source)) {
          return null;
        }
        String name = named(sighting.file);
        return new FoundArena(name, source.byteSize(), pids, ArenaView.read(source, name), null);
      } catch (IOException | ArenaCorruptedException e) {
        failure = String.valueOf(e.getMessage());
      }
    }
    return ArenaMappings.isLabelled(sighting.file)
        ? new FoundArena(place, byteSize, pids, null, failure)
        : null;
  }

  /**
   * A file that had its name after it was opened is listed as deleted, and its name is looked up.
   */
  private static String named(MappedFile file) {
    Path folder = Path.of(file.path()).getParent();
    if (ArenaMappings.isLabelled(file) || folder == null || !file.path().endsWith(DELETED)) {
      return file.path();
    }
    try (DirectoryStream<Path> names = Files.newDirectoryStream(folder)) {
      for (Path name : names) {
        if (Files.getAttribute(name, "unix:ino", LinkOption.NOFOLLOW_LINKS)
            .equals(file.key().inode())) {
          return name.toString();
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return file.path(); // the folder is not readable, or changes
    }
    return file.path();
  }

  private static boolean isArena(MappedFile file, ByteSource source) throws IOException {
    if (ArenaMappings.isLabelled(file)) {
      return true;
    }
    ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    source.read(magic);
    return magic.getLong(0) == ArenaLayout.MAGIC;
  }

  private static ByteSource open(long pid, MappedFile file) throws IOException {
    Path descriptor = descriptorOf(pid, file);
    return descriptor == null
        ? ByteSource.ofMemory(pid, file.address(), file.byteSize())
        : ByteSource.ofFile(descriptor);
  }

  private static @Nullable Path descriptorOf(long pid, MappedFile file) {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
      for (Path link : links) {
        if (leadsTo(link, file)) {
          return link;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return null; // its memory is the other way
    }
    return null;
  }

  private static boolean leadsTo(Path link, MappedFile file) {
    try {
      return Files.readSymbolicLink(link).toString().equals(file.path())
          && Files.getAttribute(link, "unix:ino").equals(file.key().inode());
    } catch (IOException e) {
      return false; // it was closed
    }
  }
}
