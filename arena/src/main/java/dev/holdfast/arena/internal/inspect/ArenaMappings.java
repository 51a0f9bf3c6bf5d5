package dev.holdfast.arena.internal.inspect;

import dev.holdfast.arena.internal.memory.ArenaLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which files that may be arenas a process maps, from {@code /proc/PID/maps} (proc(5)). A mapping
 * may be listed in several parts, since page-locking splits it.
 */
final class ArenaMappings {
  /** What tells a file from all others. */
  record FileKey(String device, long inode) {}

  /**
   * A file in the memory of a process.
   *
   * @param key the file
   * @param path its path or label as the list has it
   * @param address where its first byte lies
   * @param byteSize how much of it is mapped
   */
  record MappedFile(FileKey key, String path, long address, long byteSize) {}

  private static final String LABEL = "/memfd:holdfast-";
  private static final String CHANNEL = "-channel-";
  private static final int FIELDS = 6;

  private ArenaMappings() {}

  static Map<FileKey, MappedFile> of(long pid) throws IOException {
    Map<FileKey, MappedFile> found = new LinkedHashMap<>();
    Map<FileKey, Long> next = new HashMap<>();
    byte[] list = Files.readAllBytes(Path.of("/proc/" + pid + "/maps"));
    for (String line : new String(list, StandardCharsets.UTF_8).split("\n", -1)) {
      String[] fields = line.split(" +", FIELDS);
      if (fields.length == FIELDS && fields[1].endsWith("s") && mayBeArena(fields[5])) {
        int dash = fields[0].indexOf('-');
        long start = Long.parseUnsignedLong(fields[0], 0, dash, 16);
        long end = Long.parseUnsignedLong(fields[0], dash + 1, fields[0].length(), 16);
        long offset = Long.parseUnsignedLong(fields[2], 16);
        FileKey key = new FileKey(fields[3], Long.parseLong(fields[4]));
        MappedFile known = found.get(key);
        if (offset == 0 && known == null && end - start >= ArenaLayout.HEADER_BYTES) {
          found.put(key, new MappedFile(key, fields[5], start, end - start));
          next.put(key, end);
        } else if (known != null
            && offset == known.byteSize
            && Long.valueOf(start).equals(next.get(key))) {
          found.put(
              key, new MappedFile(key, known.path, known.address, known.byteSize + end - start));
          next.put(key, end);
        }
      }
    }
    return found;
  }

  /** A memfd says by its label whether it is one; of files only the magic tells. */
  private static boolean mayBeArena(String path) {
    if (path.startsWith("/memfd:")) {
      return path.startsWith(LABEL) && !path.contains(CHANNEL);
    }
    boolean device =
        path.startsWith("/dev/")
            && !path.startsWith("/dev/shm/")
            && !path.startsWith("/dev/hugepages");
    boolean otherKind = path.startsWith("/SYSV") || path.startsWith("/sys/");
    return path.startsWith("/") && !device && !otherKind;
  }

  /** Returns whether a mapping is an arena whatever its bytes say. */
  static boolean isLabelled(MappedFile file) {
    return file.path.startsWith(LABEL);
  }
}
