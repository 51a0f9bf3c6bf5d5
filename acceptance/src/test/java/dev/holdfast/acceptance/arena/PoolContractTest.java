package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The segment pool as an arena. */
final class PoolContractTest extends ArenaContract {

  @Override
  SharedMemoryArena create(long unitBytes, int units, Duration acquireTimeout) {
    return SharedMemorySegmentPool.builder(unitBytes, units).acquireTimeout(acquireTimeout).build();
  }

  // R82
  @Test
  void unitsWithoutBytesPassOnAndOnAndNoneHoldsASegment() {
    int rounds = Rounds.of(1_000_000);
    try (Rig rig = Pools.rig(100, 3)) {
      for (int i = 0; i < rounds; i++) {
        rig.admitAndOpen(i % 2 == 0 ? rig.write() : rig.write(0, 0), ViewScope.CONFINED).close();
        if (i % 1000 == 0) {
          rig.admitAndOpen(rig.write(60, 0, 30), ViewScope.CONFINED).verify().close();
        }
      }
      assertEquals(rig.arena.stats().published(), rig.reclaimed());
      assertEquals(0, rig.arena.stats().held());
    }
  }

  @Override
  Traits traits() {
    return new Traits(true, true, 64, true, true);
  }
}
