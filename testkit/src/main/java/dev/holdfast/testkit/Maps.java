package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The memory mappings of a process, as {@code /proc/PID/maps} lists them. */
public final class Maps {
  private Maps() {}

  /**
   * One line of the list.
   *
   * @param start first address
   * @param end address behind the last byte
   * @param permissions four letters, the last one {@code s} for shared
   * @param offset of the first byte in the file
   * @param path the file's path or label, perhaps empty
   */
  public record Mapping(long start, long end, String permissions, long offset, String path) {

    /**
     * Returns whether writes reach the file.
     *
     * @return true for a shared mapping
     */
    public boolean shared() {
      return permissions.endsWith("s");
    }
  }

  /**
   * Lists all mappings of a process.
   *
   * @param pid the process
   * @return the mappings in address order
   */
  public static List<Mapping> of(long pid) {
    List<Mapping> mappings = new ArrayList<>();
    for (String line : read(Path.of("/proc/" + pid + "/maps"))) {
      String[] parts = line.split(" +", 6);
      int dash = parts[0].indexOf('-');
      mappings.add(
          new Mapping(
              Long.parseUnsignedLong(parts[0].substring(0, dash), 16),
              Long.parseUnsignedLong(parts[0].substring(dash + 1), 16),
              parts[1],
              Long.parseUnsignedLong(parts[2], 16),
              parts.length < 6 ? "" : parts[5].trim()));
    }
    return mappings;
  }

  /**
   * Lists the shared mappings of this process that the JVM did not make for itself: arenas and
   * other files that our code mapped.
   *
   * @return the mappings
   */
  public static List<Mapping> ofArenas() {
    return ofArenas(ProcessHandle.current().pid());
  }

  /**
   * Lists the shared mappings of a process that its JVM did not make for itself.
   *
   * @param pid the process
   * @return the mappings
   */
  public static List<Mapping> ofArenas(long pid) {
    return of(pid).stream().filter(m -> m.shared() && !ofTheJvm(m.path())).toList();
  }

  /**
   * Finds the mapping that contains an address of this process.
   *
   * @param address the address
   * @return the mapping
   */
  public static Optional<Mapping> containing(long address) {
    return of(ProcessHandle.current().pid()).stream()
        .filter(m -> m.start() <= address && address < m.end())
        .findFirst();
  }

  private static boolean ofTheJvm(String path) {
    return path.startsWith("/memfd:java_heap")
        || path.contains("hsperfdata")
        || path.startsWith("/usr/")
        || path.endsWith("/lib/modules")
        || path.endsWith(".jar")
        || path.endsWith(".jsa")
        || path.startsWith("/dev/nvidia");
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
