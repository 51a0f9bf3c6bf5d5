package dev.holdfast.arena.internal.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which pages of this process are locked: {@code VmLck} in {@code /proc/self/status}, and in {@code
 * /proc/self/smaps} the mappings whose flags contain {@code lo} (proc(5)).
 */
final class LockedPages {
  private LockedPages() {}

  /** Returns how many bytes are locked. */
  static long lockedBytes() {
    for (String line : ProcFiles.lines("/proc/self/status")) {
      if (line.startsWith("VmLck:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    return 0;
  }

  /** Returns the parts of a range that nobody has locked, in address order. */
  static List<MemorySegment> unlockedParts(MemorySegment range) {
    if (lockedBytes() == 0) {
      return List.of(range);
    }
    List<MemorySegment> parts = new ArrayList<>();
    long done = 0;
    for (Range locked : lockedRanges(range.address() + range.byteSize())) {
      long from = Math.clamp(locked.start - range.address(), done, range.byteSize());
      long to = Math.clamp(locked.end - range.address(), done, range.byteSize());
      if (from > done) {
        parts.add(range.asSlice(done, from - done));
      }
      done = to;
    }
    if (done < range.byteSize()) {
      parts.add(range.asSlice(done));
    }
    return parts;
  }

  private record Range(long start, long end) {}

  private static List<Range> lockedRanges(long upTo) {
    List<Range> ranges = new ArrayList<>();
    Range current = new Range(0, 0);
    try (BufferedReader smaps =
        Files.newBufferedReader(Path.of("/proc/self/smaps"), StandardCharsets.ISO_8859_1)) {
      for (String line = smaps.readLine(); line != null; line = smaps.readLine()) {
        if (line.startsWith("VmFlags:")) {
          if (Arrays.asList(line.split("\\s+", -1)).contains("lo")) {
            ranges.add(current);
          }
        } else if (!Character.isUpperCase(line.charAt(0))) {
          int dash = line.indexOf('-');
          current =
              new Range(
                  Long.parseUnsignedLong(line, 0, dash, 16),
                  Long.parseUnsignedLong(line, dash + 1, line.indexOf(' '), 16));
          if (current.start < 0 || current.start >= upTo) {
            break;
          }
        }
      }
    } catch (IOException e) {
      return List.of(); // without smaps nothing is known, and all of the range is locked
    }
    return ranges;
  }
}
