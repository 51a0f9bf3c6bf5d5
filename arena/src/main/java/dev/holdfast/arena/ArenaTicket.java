package dev.holdfast.arena;

import dev.holdfast.arena.internal.life.TicketNumber;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Names a sealed unit of a pool until it is recovered or discarded. What the bytes mean travels
 * beside it, in the messages of the user.
 *
 * <p>Immutable, and opaque but for {@link #arenaId}. Serialization moves it to another process
 * without taking or giving any right: all copies name the same unit, and one of them is recovered
 * or discarded, once. A ticket that is lost keeps its segment.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class ArenaTicket implements Serializable {
  private static final long serialVersionUID = 1L;

  private final UUID arenaId;
  private final long unit;
  private final long byteSize;
  private final long key;

  ArenaTicket(TicketNumber number) {
    this.arenaId = number.arenaId();
    this.unit = number.unit();
    this.byteSize = number.span();
    this.key = number.key();
  }

  TicketNumber number() {
    return new TicketNumber(arenaId, unit, byteSize, key);
  }

  /**
   * Returns which arena the unit lies in, for who has several.
   *
   * @return the id, as {@link SharedMemoryArena#arenaId} returns it
   */
  public UUID arenaId() {
    return arenaId;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArenaTicket ticket && number().equals(ticket.number());
  }

  @Override
  public int hashCode() {
    return number().hashCode();
  }

  @Override
  public String toString() {
    return "ticket of arena " + arenaId;
  }

  @Serial
  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    if (arenaId == null) {
      throw new InvalidObjectException("a ticket without an arena");
    }
  }
}
