package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where shared memory is about to come from, with what limits it.
 *
 * @param name as errors name it
 * @param folder the folder, or null for memory without one
 * @param takesMemory whether its bytes are memory and not disk
 */
record Place(String name, @Nullable Path folder, boolean takesMemory) {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");

  /** Memory that belongs to no mount. */
  static Place memory(String name) {
    return new Place(name, null, true);
  }

  /** A folder, cleared of what dead owners left. */
  static Place inFolder(Path folder, String name) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          FailureDetail.of("the backing's folder is missing or no folder")
              .with("folder", folder)
              .advise("create it or name another one")
              .message());
    }
    removeStale(folder);
    return new Place(name, folder, isMemory(folder));
  }

  /** A folder that cannot be listed may well take a file. */
  private static void removeStale(Path folder) {
    try {
      var _ = StaleFiles.removeStale(folder);
    } catch (UncheckedIOException e) {
      LOG.log(Logger.Level.DEBUG, () -> "stale files are not looked for in " + folder, e);
    }
  }

  /** Fails when the folder's mount takes no further file. */
  void requireFile(long byteSize) {
    Descriptors.MountSpace mount = space();
    if (mount != null) {
      SpaceCheck.requireFile(name, byteSize, mount);
    }
  }

  /** Fails when there is no room; see {@link SpaceCheck}. */
  void requireSpace(long byteSize, long stillToReserve) {
    SpaceCheck.require(name, byteSize, stillToReserve, space(), takesMemory);
  }

  private Descriptors.@Nullable MountSpace space() {
    if (folder == null) {
      return null;
    }
    try {
      return Descriptors.mountSpace(folder.toString());
    } catch (ErrnoException e) {
      throw new IllegalArgumentException("cannot read the space of the mount: folder=" + folder, e);
    }
  }

  private static boolean isMemory(Path folder) {
    try {
      String type = Files.getFileStore(folder).type();
      return type.equals("tmpfs") || type.equals("ramfs");
    } catch (IOException e) {
      return true; // the stricter check
    }
  }
}
