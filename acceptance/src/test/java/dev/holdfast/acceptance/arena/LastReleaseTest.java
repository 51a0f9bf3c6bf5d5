package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A closed reader's side goes back with its last unit, which another thread may release: a moment
 * after the unit itself, which the figures show at once.
 */
@ExtendWith(Leftovers.class)
final class LastReleaseTest {
  @ParameterizedTest
  @CsvSource({"pool,open", "pool,takeOver", "ring,open", "ring,takeOver"})
  void sideIsFreeForWhoeverSeesThatTheLastUnitIsBack(String arena, String call) {
    try (ChildJvm child =
        ChildJvm.of(ReleaseChild.class)
            .jvmArgs("-Dholdfast.faults=UNIT_RELEASED=delay(300)@1")
            .args(arena, call)
            .start()) {
      child.awaitSuccess();
    }
  }

  /** Asks for the side between the release of the last unit and its own; an interrupt is kept. */
  static final class ReleaseChild {
    private static final int SIZE = 1 << 12;

    private ReleaseChild() {}

    public static void main(String[] arguments) throws Exception {
      SharedMemoryArena arena =
          arguments[0].equals("pool")
              ? SharedMemorySegmentPool.builder(SIZE, 2).build()
              : SharedMemoryRingBuffer.builder(SIZE).build();
      try (Rig rig = new Rig(arena)) {
        ArenaReader reader = rig.reader();
        Sent sent = rig.admit(rig.write(SIZE / 2));
        reader.close();
        FutureTask<Void> release =
            Deadlines.start(
                "release",
                () -> {
                  reader.discard(sent.receipt());
                  return null;
                });
        Deadlines.assertEventually("the unit is back", () -> rig.reclaimed() == 1);
        Thread.currentThread().interrupt();
        if (arguments[1].equals("open")) {
          arena.openReader().close();
        } else {
          arena.takeOver(Side.READER);
        }
        if (!Thread.interrupted()) {
          throw new AssertionError("the interrupt is lost");
        }
        Deadlines.result(release);
      }
    }
  }
}
