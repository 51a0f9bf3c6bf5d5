package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.MemoryGroup;
import dev.holdfast.testkit.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Parent and worker are killed together, again and again, over the same shared memory. */
@ExtendWith(Leftovers.class)
@Timeout(600)
final class CrashLoopTest {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final String FOR_EVER = String.valueOf(Long.MAX_VALUE);

  @TempDir private Path folder;

  private static ChildJvm start(long segmentBytes, String backing, String... prefix) {
    return ChildJvm.of(StreamMain.class)
        .prefix(prefix)
        .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        .args(FOR_EVER, String.valueOf(segmentBytes), backing)
        .start();
  }

  /** Kills both before either can see the other's end. */
  private static void killBoth(ChildJvm parent) {
    List<ProcessHandle> workers =
        ProcessHandle.of(parent.pid())
            .map(handle -> handle.descendants().toList())
            .orElse(List.of());
    parent.kill(ChildJvm.SIGKILL);
    workers.forEach(ProcessHandle::destroyForcibly);
    assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, parent.awaitExit());
  }

  private static List<Path> files(Path where) throws IOException {
    try (Stream<Path> files = Files.list(where)) {
      return files.sorted().toList();
    }
  }

  // R46
  @Test
  void nothingIsLeftAtWhateverMomentBothAreKilled() throws IOException {
    long seed = Long.getLong("holdfast.seed", System.nanoTime());
    System.out.println("seed (holdfast.seed): " + seed);
    Random random = new Random(seed);
    List<Path> before = files(SHARED_MEMORY);
    String[] backings = {"memfd", SHARED_MEMORY.toString(), folder.resolve("named").toString()};
    int rounds = Rounds.of(50) * 2 / 5;
    for (int round = 0; round < rounds; round++) {
      String backing = backings[round % backings.length];
      try (ChildJvm parent = start(StreamMain.UNIT_BYTES, backing)) {
        if (random.nextInt(3) > 0) {
          parent.awaitLine("STREAMS ");
        }
        Deadlines.pause(Duration.ofMillis(random.nextInt(500)));
        killBoth(parent);
      }
      assertEquals(before, files(SHARED_MEMORY), "round " + round);
    }
    try (ChildJvm parent = start(StreamMain.UNIT_BYTES, folder.resolve("named").toString())) {
      parent.awaitLine("STREAMS ");
      killBoth(parent);
    }
    assertEquals(List.of(folder.resolve("named")), files(folder));
    SharedMemorySegmentPool next =
        SharedMemorySegmentPool.builder(100, 2)
            .backing(Backing.file(folder.resolve("named")))
            .build();
    assertEquals(List.of(folder.resolve("named")), files(folder));
    next.close();
    next.unlink();
    assertEquals(List.of(), files(folder));
    System.out.printf("crash loop: seed %d, kills %d%n", seed, 2 * rounds + 2);
  }

  // R93
  @Test
  void aCrashLoopDoesNotFillASmallMemory() throws IOException {
    List<Path> before = files(SHARED_MEMORY);
    int rounds = Rounds.of(50) / 4;
    try (MemoryGroup group = MemoryGroup.create(300L << 20)) {
      for (int round = 0; round < rounds; round++) {
        String backing = round % 2 == 0 ? "memfd" : SHARED_MEMORY.toString();
        try (ChildJvm parent = start(16L << 20, backing, group.enter())) {
          parent.awaitLine("STREAMS ");
          killBoth(parent);
        }
        assertEquals(before, files(SHARED_MEMORY), "round " + round);
      }
    }
    System.out.printf("crash loop in 300 MiB: kills %d%n", 2 * rounds);
  }
}
