package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.life.Owned;

/**
 * A number that was given to a reservation, in the writer's book. Its last owner is the scope of
 * the producer's views: a number that was not sealed by then is free again.
 */
final class Reserved extends Owned {
  private final TicketWriter writer;
  private final long unit;
  private final long sinceMillis = BootClock.millis();
  private final String thread = Thread.currentThread().getName();
  private final Closer.Task endLater =
      new Closer.Task() {
        @Override
        protected boolean run() {
          return writer().endedLater(Reserved.this);
        }
      };

  /** Makes an entry of the book; the writer has kept the memory mapped for it. */
  Reserved(TicketWriter writer, long unit) {
    super(HolderKind.RESERVATION);
    this.writer = writer;
    this.unit = unit;
  }

  @Override
  public long unit() {
    return unit;
  }

  private TicketWriter writer() {
    return writer;
  }

  /** Returns what ends it when that failed for lack of heap. */
  Closer.Task endLater() {
    return endLater;
  }

  long sinceMillis() {
    return sinceMillis;
  }

  /** Returns the name of the thread that reserved. */
  String thread() {
    return thread;
  }

  @Override
  protected String arena() {
    return writer.arena();
  }

  /** The shared word is the reader's; the writer has its own book. */
  @Override
  protected void holding(HolderKind newKind, long newSinceMillis) {}

  @Override
  protected void released() {
    writer.ended(this);
  }

  /** The log says it; figures count leases only. */
  @Override
  protected void leaked() {}

  @Override
  protected String closedBy() {
    return "reservation";
  }
}
