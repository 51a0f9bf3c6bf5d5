package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.SpaceWait;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code reserve} that may have to wait. Of threads that wait at once, whoever looks
 * first gets the next number. Used by one thread, and by the one that waits on its behalf.
 */
final class ReservationTurn {
  private final ArenaCore core;
  private final TicketWriter writer;
  private @Nullable Reserved reserved;

  ReservationTurn(ArenaCore core, TicketWriter writer) {
    this.core = core;
    this.writer = writer;
  }

  /** Returns a number, waiting for it at most so long; the caller is inside a call of the arena. */
  Reserved take(Duration limit) {
    if (!isGranted()) {
      waitForSpace(limit);
    }
    Reserved granted = reserved;
    if (granted == null) {
      throw new IllegalStateException("a wait has ended without a number");
    }
    return granted;
  }

  private void waitForSpace(Duration limit) {
    SpaceWait wait = new SpaceWait(core, limit, this::isGranted, writer::announce);
    try {
      wait.await(writer.nextUnit(), writer::timeout);
    } catch (RuntimeException | Error e) {
      Reserved granted = reserved;
      if (granted != null) {
        granted.retire(); // a check ended the wait in the moment that it was granted
      }
      throw e;
    }
  }

  private boolean isGranted() {
    if (reserved == null) {
      reserved = writer.tryReserve();
    }
    return reserved != null;
  }
}
