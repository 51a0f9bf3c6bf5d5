package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.TicketException;
import java.util.Locale;
import java.util.UUID;

/** Why a ticket is refused; the name is the fact {@code reason} of the exception. */
public enum TicketRefusal {
  /** It belongs to another arena. */
  FOREIGN("the ticket belongs to another arena"),
  /** No unit was sealed with this number, size and key. */
  FORGED("the ticket was not sealed in this arena"),
  /** Its unit was recovered here. */
  RECOVERED("the ticket was recovered before"),
  /** Its unit was discarded here. */
  DISCARDED("the ticket was discarded before"),
  /** Its unit is gone; it was recovered or discarded here long ago, or by a former reader. */
  STALE("the ticket was recovered or discarded before");

  private final String text;

  TicketRefusal(String text) {
    this.text = text;
  }

  /** Makes the exception. */
  public TicketException of(UUID arenaId, TicketNumber ticket) {
    return new TicketException(
        FailureDetail.of(text)
            .with("reason", name().toLowerCase(Locale.ROOT))
            .with("arena", arenaId)
            .with("ticketArena", ticket.arenaId())
            .with("unit", ticket.unit())
            .advise("each ticket is recovered or discarded once, by the reader of its own arena"));
  }
}
