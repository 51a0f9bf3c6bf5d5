package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import java.time.Duration;

/** An arena of a user, which has seen nothing but the exported packages. B30 */
final class CustomArenaContractTest extends ArenaContract {

  @Override
  SharedMemoryArena create(long unitBytes, int units, Duration acquireTimeout) {
    return FileSlotArena.create(unitBytes, units, acquireTimeout);
  }

  @Override
  Traits traits() {
    return new Traits(false, true, 1, true, true);
  }
}
