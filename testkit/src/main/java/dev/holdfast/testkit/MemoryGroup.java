package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A memory control group (cgroups(7), version 1) below this process's own, for children. */
public final class MemoryGroup implements AutoCloseable {
  private final Path folder;

  private MemoryGroup(Path folder) {
    this.folder = folder;
  }

  /**
   * Makes a group, or skips the test where that is refused.
   *
   * @param limitBytes the most memory that its processes may have together
   * @return the group; closing it removes it, after its processes
   */
  public static MemoryGroup create(long limitBytes) {
    try {
      String own =
          Files.readAllLines(Path.of("/proc/self/cgroup")).stream()
              .filter(line -> line.contains(":memory:"))
              .map(line -> line.split(":", 3)[2])
              .findFirst()
              .orElse(null);
      Assumptions.assumeTrue(own != null, "skipped: no memory control group of version 1");
      Path folder =
          Path.of("/sys/fs/cgroup/memory" + own, "holdfast-test-" + ProcessHandle.current().pid());
      Files.createDirectory(folder);
      Files.writeString(folder.resolve("memory.limit_in_bytes"), String.valueOf(limitBytes));
      return new MemoryGroup(folder);
    } catch (IOException e) {
      return Assumptions.abort("skipped: no control group can be made: " + e);
    }
  }

  /**
   * Returns what starts a child inside, see {@link ChildJvm.Builder#prefix}.
   *
   * @return a command that takes the rest of the line
   */
  public String[] enter() {
    return new String[] {"sh", "-c", "echo $$ > '" + members() + "' && exec \"$0\" \"$@\""};
  }

  /**
   * Returns the file that takes the id of a process that is to enter.
   *
   * @return its path
   */
  public Path members() {
    return folder.resolve("cgroup.procs");
  }

  /**
   * Returns the folder that stands for the group.
   *
   * @return its path
   */
  public Path folder() {
    return folder;
  }

  @Override
  public void close() {
    Deadlines.assertEventually("the control group is empty", this::isEmpty);
    try {
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isEmpty() {
    try {
      return Files.readString(members()).isBlank();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
