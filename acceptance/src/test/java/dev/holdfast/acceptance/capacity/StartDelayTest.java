package dev.holdfast.acceptance.capacity;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are slow to become whole, and workers that are slow to come, on busy processors. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class StartDelayTest {
  @TempDir private Path folder;

  // R83
  @ParameterizedTest
  @ValueSource(strings = {"standard", "/dev/shm"})
  void workerNeverMapsAFileThatIsNotWhole(String place) {
    PausePoints delays =
        PausePoints.in(folder)
            .act("FILE_CREATED", "delay(30)", 1)
            .act("FILE_CREATED", "delay(30)", 2);
    try (ChildJvm child =
        ChildJvm.of(Starts.class)
            .jvmArgs("-Xmx64m", delays.jvmArgument().replaceAll("@\\d", "@*"))
            .args(place, String.valueOf(Rounds.of(100) / 4))
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(5));
    }
  }

  /** Starts workers one after the other beside two threads that never rest. */
  static final class Starts {
    private static final int SIZE = 100_003;

    private Starts() {}

    public static void main(String[] arguments) {
      AtomicBoolean over = new AtomicBoolean();
      for (int i = 0; i < 2; i++) {
        Thread.ofPlatform().daemon().name("test-busy").start(() -> spin(over));
      }
      Backing backing =
          arguments[0].equals("standard")
              ? Backing.standard()
              : Backing.directory(Path.of(arguments[0]));
      for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
        start(backing, round);
      }
      over.set(true);
    }

    private static void spin(AtomicBoolean over) {
      while (!over.get()) {
        Thread.onSpinWait();
      }
    }

    private static void start(Backing backing, int round) {
      SubprocessOptions options =
          SubprocessOptions.builder()
              .arena(SharedMemorySegmentPool.builder(SIZE, 2).backing(backing).build())
              .jvmArgs("-Xmx32m", ChildJvm.SHORT_LIVED)
              .build();
      try (SubprocessIterable<MemorySegment> items =
          Subprocess.iterate(
              Sizes.counting(3, unit -> Stamps.payload(SIZE, unit, round)), options)) {
        int unit = 0;
        for (var lease : items.leases()) {
          try (lease) {
            Stamps.verify(lease.item(), unit++, round);
          }
        }
        Assertions.assertEquals(3, unit);
      }
    }
  }
}
