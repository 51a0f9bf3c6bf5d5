package dev.holdfast.arena.internal.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TicketWriterTest {
  private static final int PAGE = 4096;

  /** As when the first try has failed behind the number, and the closer makes up for it. */
  @Test
  void numberThatIsFreedOnceMoreIsNotTakenFromTheNextReservation() {
    ArenaCore core = ArenaCore.create(ArenaGeometry.pool(PAGE, 4, PAGE), Backing.memfd());
    TicketWriter writer = new TicketWriter(core);
    Reserved first = there(writer.tryReserve());
    assertTrue(core.mapping().retain()); // for the second try
    first.retire();
    Reserved next = there(writer.tryReserve());
    assertEquals(first.unit(), next.unit());

    assertTrue(writer.endedLater(first));

    Reserved other = there(writer.tryReserve());
    assertEquals(next.unit() + 1, other.unit());
    other.retire();
    next.retire();
    writer.close();
    core.close(true);
    core.unlink();
  }

  private static Reserved there(@Nullable Reserved reserved) {
    return Objects.requireNonNull(reserved, "a number is free");
  }
}
