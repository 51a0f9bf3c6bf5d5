package dev.holdfast.arena.internal.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The few numbers that we read from {@code /proc} (proc(5)). */
final class ProcFiles {
  private ProcFiles() {}

  /** Returns {@code MemAvailable} in bytes, or no limit where the kernel does not say. */
  static long availableMemory() {
    for (String line : lines("/proc/meminfo")) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    return Long.MAX_VALUE;
  }

  /** Returns the soft limit on the size of a file in bytes, or no limit. */
  static long fileSizeLimit() {
    return softLimit("Max file size");
  }

  /** Returns the soft limit on locked memory in bytes, RLIMIT_MEMLOCK, or no limit. */
  static long lockedMemoryLimit() {
    return softLimit("Max locked memory");
  }

  private static long softLimit(String name) {
    for (String line : lines("/proc/self/limits")) {
      if (line.startsWith(name)) {
        String soft = line.substring(name.length()).trim().split("\\s+", -1)[0];
        return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseUnsignedLong(soft);
      }
    }
    return Long.MAX_VALUE;
  }

  /** Returns a file's lines, or none when it cannot be read. */
  static List<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }
}
