package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Memory without a name. */
final class MemfdBackingTest extends BackingContract {

  @Override
  Backing backing() {
    return Backing.memfd();
  }

  @Override
  String kind() {
    return "memfd";
  }

  @Override
  Path path() {
    return folder;
  }

  @Override
  int names() {
    return 0;
  }

  @Test
  void nobodyCanTruncateIt() throws IOException {
    try (Rig rig = rig(backing())) {
      int descriptor =
          ProcSelf.descriptors().entrySet().stream()
              .filter(entry -> entry.getValue().contains(rig.arena.arenaId().toString()))
              .findFirst()
              .orElseThrow()
              .getKey();
      Path link = Path.of("/proc/self/fd/" + descriptor);
      try (FileChannel file =
          FileChannel.open(link, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        long size = file.size();
        assertThrows(IOException.class, () -> file.truncate(4096));
        assertThrows(IOException.class, () -> file.truncate(0));
        assertEquals(size, file.size());
      }
      rig.passThrough(5, 8192);
    }
  }

  @Test
  void poolOfATebibyteIsRefusedAtOnce() {
    Duration shortest = Duration.ofDays(1);
    for (int i = 0; i < 3; i++) {
      long start = System.nanoTime();
      InsufficientSharedMemoryException refused =
          assertThrows(
              InsufficientSharedMemoryException.class,
              () -> new SharedMemorySegmentPool(1L << 30, 1024));
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      shortest = shortest.compareTo(taken) < 0 ? shortest : taken;
      assertTrue(refused.facts().containsValue((1L << 40) + 4096) || refused.facts().size() > 1);
      assertTrue(!refused.advice().isEmpty());
    }
    assertTrue(shortest.compareTo(Duration.ofSeconds(1)) < 0, shortest::toString);
  }
}
