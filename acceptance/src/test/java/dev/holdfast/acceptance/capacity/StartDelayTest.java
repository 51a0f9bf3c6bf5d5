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
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Files that are slow to become whole, and workers that are slow to come, on busy processors. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class StartDelayTest {
  @TempDir private Path folder;

  // R83
  @Test
  void workerNeverMapsAFileThatIsNotWholeHoweverLateItComes() {
    PausePoints delays =
        PausePoints.in(folder)
            .act("FILE_CREATED", "delay(30)", 1)
            .act("FILE_CREATED", "delay(30)", 2);
    try (ChildJvm child =
        ChildJvm.of(Starts.class)
            .jvmArgs("-Xmx64m", delays.jvmArgument().replaceAll("@\\d", "@*"))
            .args(String.valueOf(Rounds.of(200)))
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(25));
    }
  }

  /** Starts workers one after the other, every third one late, beside threads that never rest. */
  static final class Starts {
    private static final int SIZE = 100_003;

    private Starts() {}

    public static void main(String[] arguments) {
      AtomicBoolean over = new AtomicBoolean();
      for (int core = 0; core < Runtime.getRuntime().availableProcessors(); core++) {
        Thread.ofPlatform().daemon().name("test-busy-" + core).start(() -> spin(over));
      }
      List<Backing> backings = List.of(Backing.standard(), Backing.directory(Path.of("/dev/shm")));
      for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
        start(backings.get(round % 2), round);
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
              .jvmArgs(
                  round % 3 == 2 ? "-Dholdfast.faults=WORKER_STARTING=delay(200)@1" : "-Dnothing")
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
