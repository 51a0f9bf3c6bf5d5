package dev.holdfast.arena.internal.memory;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What is left in each memory cgroup from this process's up to the root, for both versions of the
 * interface (cgroups(7); Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst of the
 * kernel). Page cache of files counts as free: the kernel drops it before it kills.
 */
final class MemoryCgroups {
  private static final long UNLIMITED = 1L << 60;

  private record Version(String limit, String usage, List<String> reclaimable) {}

  private static final Version V1 =
      new Version(
          "memory.limit_in_bytes",
          "memory.usage_in_bytes",
          List.of("total_inactive_file", "total_active_file"));
  private static final Version V2 =
      new Version("memory.max", "memory.current", List.of("inactive_file", "active_file"));

  private MemoryCgroups() {}

  static List<SpaceCheck.Limit> limits() {
    return limits(ProcFiles.lines("/proc/self/cgroup"), ProcFiles.lines("/proc/self/mountinfo"));
  }

  /** The same from the lines of the two files. */
  static List<SpaceCheck.Limit> limits(List<String> groups, List<String> mounts) {
    List<SpaceCheck.Limit> limits = new ArrayList<>();
    for (String line : groups) {
      // hierarchy:controllers:path, with an empty list of controllers for version 2
      String[] parts = line.split(":", 3);
      if (parts.length < 3) {
        continue;
      }
      if (List.of(parts[1].split(",", -1)).contains("memory")) {
        walk(V1, mount(mounts, "cgroup", "memory"), parts[2], limits);
      } else if (parts[1].isEmpty()) {
        walk(V2, mount(mounts, "cgroup2", ""), parts[2], limits);
      }
    }
    return limits;
  }

  private record Mount(String root, String point) {}

  private static Mount mount(List<String> mounts, String type, String controller) {
    for (String line : mounts) {
      // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS... - TYPE SOURCE SUPER-OPTIONS
      String[] halves = line.split(" - ", 2);
      String[] left = halves[0].split(" ", -1);
      String[] right = halves.length == 2 ? halves[1].split(" ", -1) : new String[0];
      if (right.length >= 3
          && right[0].equals(type)
          && (controller.isEmpty() || List.of(right[2].split(",", -1)).contains(controller))) {
        return new Mount(left[3], left[4]);
      }
    }
    return new Mount("/", "");
  }

  private static void walk(
      Version version, Mount mount, String group, List<SpaceCheck.Limit> limits) {
    if (mount.point.isEmpty()) {
      return;
    }
    String inside = group;
    if (!mount.root.equals("/") && inside.startsWith(mount.root)) {
      inside = inside.substring(mount.root.length());
    }
    Path top = Path.of(mount.point);
    Path folder = Path.of(mount.point + "/" + inside).normalize();
    while (folder != null && folder.startsWith(top)) {
      long limit = number(folder.resolve(version.limit));
      if (limit >= 0 && limit < UNLIMITED) {
        long used =
            Math.max(0, number(folder.resolve(version.usage))) - reclaimable(version, folder);
        limits.add(new SpaceCheck.Limit("memory cgroup " + folder, limit - used));
      }
      folder = folder.getParent();
    }
  }

  private static long reclaimable(Version version, Path folder) {
    long bytes = 0;
    for (String line : ProcFiles.lines(folder.resolve("memory.stat").toString())) {
      String[] parts = line.split(" ", -1);
      if (parts.length == 2 && version.reclaimable.contains(parts[0])) {
        bytes += Long.parseLong(parts[1]);
      }
    }
    return bytes;
  }

  /** Returns a file's only number, or -1 when it has none ("max") or is not there. */
  private static long number(Path file) {
    if (!Files.exists(file)) {
      return -1;
    }
    List<String> lines = ProcFiles.lines(file.toString());
    try {
      return lines.isEmpty() ? -1 : Long.parseLong(lines.getFirst().trim());
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
