package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.ItemText;
import org.jspecify.annotations.Nullable;

/**
 * An input of a region from the moment it was taken until it is answered. The lock of its lane's
 * book guards what changes, but for the opened item, which belongs to who has the sending lock.
 */
final class Input {
  final long number;
  final Cell.Item cell;

  /** The opened item while it is known here: kept for a worker that has to do it again. */
  @Nullable Object value;

  boolean known;

  boolean begun; // it was opened, or nobody but who sends it will do so
  boolean sent; // to the worker that there is now
  boolean done;
  int deaths;
  long sentNanos;
  long doneNanos;
  Group group = new Group(this);

  Input(long number, Cell.Item cell) {
    this.number = number;
    this.cell = cell;
  }

  long epoch() {
    return cell.epoch();
  }

  /** Shows it in reports. */
  String text() {
    return known ? ItemText.of(value) : "input " + number;
  }
}
