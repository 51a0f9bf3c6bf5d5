package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What both versions of memory cgroups leave, by files as the kernel writes them. */
final class MemoryCgroupsTest {
  private static final String MIB = "048576"; // behind a digit

  @TempDir private Path mount;
  private Path outer = Path.of("");
  private Path inner = Path.of("");

  @BeforeEach
  void makeGroups() throws IOException {
    outer = Files.createDirectory(mount.resolve("outer"));
    inner = Files.createDirectory(outer.resolve("inner"));
  }

  private static void write(Path group, String file, String text) throws IOException {
    Files.writeString(group.resolve(file), text + "\n");
  }

  private List<SpaceCheck.Limit> limits(String group, String root, String fileSystem) {
    return MemoryCgroups.limits(
        List.of("not a line of it", "12:pids:/outer", group),
        List.of(
            "25 30 0:23 / /sys rw,nosuid - sysfs sysfs rw",
            "36 32 0:31 " + root + " " + mount + " rw,nosuid shared:9 - " + fileSystem));
  }

  @Test
  void groupsOfTheSecondVersionAreAllLookedAtUpToTheMount() throws IOException {
    write(outer, "memory.max", "4" + MIB);
    write(outer, "memory.current", "3" + MIB);
    write(outer, "memory.stat", "anon 5\ninactive_file 1" + MIB + "\nactive_file 0");
    write(inner, "memory.max", "max");
    write(inner, "memory.current", "1" + MIB);

    assertEquals(
        List.of(new SpaceCheck.Limit("memory cgroup " + outer, 4_048_576 - 3_048_576 + 1_048_576)),
        limits("0::/outer/inner", "/", "cgroup2 cgroup rw"));
  }

  @Test
  void groupsOfTheFirstVersionAreFoundByTheirController() throws IOException {
    write(inner, "memory.limit_in_bytes", "9" + MIB);
    write(inner, "memory.usage_in_bytes", "2" + MIB);
    write(inner, "memory.stat", "total_inactive_file 7\ntotal_active_file 3\ncache 100");
    write(outer, "memory.limit_in_bytes", "9223372036854771712"); // none

    assertEquals(
        List.of(new SpaceCheck.Limit("memory cgroup " + inner, 9_048_576 - 2_048_576 + 10)),
        limits("4:cpu,memory:/outer/inner", "/", "cgroup cgroup rw,memory"));
  }

  /** In a container the mount shows a part of the tree, and the path begins outside of it. */
  @Test
  void theRootOfTheMountIsTakenOffThePath() throws IOException {
    write(inner, "memory.max", "9" + MIB);
    write(inner, "memory.current", "0");

    assertEquals(
        List.of(new SpaceCheck.Limit("memory cgroup " + inner, 9_048_576)),
        limits("0::/docker/c1/outer/inner", "/docker/c1", "cgroup2 cgroup rw"));
  }

  @Test
  void whereNothingIsMountedNothingIsLimited() {
    assertEquals(List.of(), MemoryCgroups.limits(List.of("0::/outer"), List.of()));
  }
}
