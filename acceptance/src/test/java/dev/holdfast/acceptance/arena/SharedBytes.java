package dev.holdfast.acceptance.arena;

import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** Writes into the file behind a view, past the view and its protection. */
final class SharedBytes {
  private SharedBytes() {}

  /** Changes one byte of shared memory in the owner's process. */
  static void poke(MemorySegment view, long offset, byte value) throws IOException {
    long address = view.address() + offset;
    Maps.Mapping mapping = Maps.containing(address).orElseThrow();
    int descriptor =
        ProcSelf.descriptors().entrySet().stream()
            .filter(entry -> entry.getValue().equals(mapping.path()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(() -> new AssertionError("no descriptor of " + mapping));
    Path link = Path.of("/proc/self/fd/" + descriptor);
    try (FileChannel file = FileChannel.open(link, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.wrap(new byte[] {value});
      int written = file.write(one, mapping.offset() + address - mapping.start());
      if (written != 1) {
        throw new IOException("wrote " + written + " bytes to " + mapping);
      }
    }
  }
}
