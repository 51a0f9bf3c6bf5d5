package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.ItemText;
import org.jspecify.annotations.Nullable;

/**
 * An input of a region from the moment it was taken until it is answered. The lock of its lane's
 * book guards what changes, but for the opened item: who has the sending lock sets it, whoever ends
 * the input forgets it, and any thread may look at it for a report.
 */
final class Input {
  final long number;
  final Cell.Item cell;

  /**
   * The item of an input.
   *
   * @param value what it is
   */
  record Opened(@Nullable Object value) {}

  /** The opened item while it is known here: kept for a worker that has to do it again. */
  volatile @Nullable Opened opened;

  boolean begun; // it was opened, or nobody but who sends it will do so
  boolean sent; // to the worker that there is now, or about to be
  boolean arrived; // it can be read by that worker
  boolean done;
  int deaths;
  long sentNanos; // when sending it began
  long arrivedNanos;
  long doneNanos;
  Group group = new Group(this);

  Input(long number, Cell.Item cell) {
    this.number = number;
    this.cell = cell;
  }

  long epoch() {
    return cell.epoch();
  }

  /** Its worker has died: nothing has come of it, and nobody has it. */
  void beginAgain() {
    group = new Group(this);
    done = false;
    sent = false;
    arrived = false;
  }

  /** Shows it in reports. */
  String text() {
    Opened there = opened;
    return there == null ? "input " + number : ItemText.of(there.value());
  }
}
