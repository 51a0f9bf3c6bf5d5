package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import org.jspecify.annotations.Nullable;

/**
 * An input of a region from the moment it was taken until it is answered. Its lane's lock guards.
 */
final class Input {
  final long number;
  final Cell.Item cell;

  /** The opened item, kept for a worker that has to do it again. */
  @Nullable Object value;

  boolean opened;
  boolean sent;
  boolean done;
  int deaths;
  long sentNanos;
  Group group = new Group(this);

  Input(long number, Cell.Item cell) {
    this.number = number;
    this.cell = cell;
  }

  long epoch() {
    return cell.epoch();
  }
}
