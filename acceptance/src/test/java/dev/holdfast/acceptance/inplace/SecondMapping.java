package dev.holdfast.acceptance.inplace;

import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.UUID;

/** A mapping of an arena of this process that Holdfast knows nothing of. */
final class SecondMapping implements AutoCloseable {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes;

  private SecondMapping(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
    }
  }

  /** Maps the file behind an arena that this process made. */
  static SecondMapping of(UUID arenaId) throws IOException {
    int descriptor =
        ProcSelf.descriptors().entrySet().stream()
            .filter(entry -> entry.getValue().contains(arenaId.toString()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(() -> new AssertionError("no descriptor of " + arenaId));
    return new SecondMapping(Path.of("/proc/self/fd/" + descriptor));
  }

  /** Returns where a word lies at a multiple of 64, or -1. */
  long find(long word) {
    for (long offset = 0; offset < bytes.byteSize(); offset += 64) {
      if (bytes.get(WORD, offset) == word) {
        return offset;
      }
    }
    return -1;
  }

  MemorySegment slice(long offset, long byteSize) {
    return bytes.asSlice(offset, byteSize);
  }

  @Override
  public void close() {
    arena.close();
  }
}
