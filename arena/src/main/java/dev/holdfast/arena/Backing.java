package dev.holdfast.arena;

import java.io.Serializable;
import java.nio.file.Path;

/** Where an arena's memory comes from. Immutable. */
public sealed interface Backing extends Serializable {

  /**
   * The default: {@link #memfd}, and where the system refuses that a file in {@code /dev/shm} or
   * else in the temporary folder, with one warning in the log.
   *
   * @return the backing
   */
  static Backing standard() {
    return new Standard();
  }

  /**
   * Memory without a name in any folder, sealed against shrinking and growing: nothing is left
   * behind by a killed process, and no other process can cut it short.
   *
   * @return the backing
   */
  static Backing memfd() {
    return new Memfd();
  }

  /**
   * A file in a folder, which has no name as soon as it is ready: for {@code /dev/shm}, another
   * tmpfs, hugetlbfs or a memory volume.
   *
   * @param folder an existing folder
   * @return the backing
   */
  static Backing directory(Path folder) {
    return new Directory(folder.toString());
  }

  /**
   * A file with a name, for processes that do not descend from each other. The owner holds a lock
   * on it while it lives; a file whose lock can be had is stale and may be removed by {@code
   * holdfast sweep}.
   *
   * @param file the name; must not exist, unless it is stale and of the same user
   * @return the backing
   */
  static Backing file(Path file) {
    return new NamedFile(file.toString());
  }

  /** See {@link Backing#standard}. */
  record Standard() implements Backing {}

  /** See {@link Backing#memfd}. */
  record Memfd() implements Backing {}

  /**
   * See {@link Backing#directory}.
   *
   * @param folder the folder's path
   */
  record Directory(String folder) implements Backing {}

  /**
   * See {@link Backing#file}.
   *
   * @param file the file's path
   */
  record NamedFile(String file) implements Backing {}
}
