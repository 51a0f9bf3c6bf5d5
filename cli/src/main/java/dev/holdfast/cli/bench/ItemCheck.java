package dev.holdfast.cli.bench;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Counts and checks the items of one pass. Belongs to the thread that runs the pass. */
final class ItemCheck implements Consumer<Object> {
  private final CellSpec cell;
  private final PassPlan plan;
  private int seen;
  private int wrong;

  ItemCheck(CellSpec cell, PassPlan plan) {
    this.cell = cell;
    this.plan = plan;
  }

  @Override
  public void accept(Object item) {
    MemorySegment bytes = cell.payload().bytesOf(item, plan, seen);
    if (bytes.byteSize() != cell.sizeBytes() || !Stamps.check(bytes, plan, seen)) {
      wrong++;
    }
    seen++;
  }

  /** Returns whether each item of the plan came, in its turn and whole. */
  boolean passed() {
    return wrong == 0 && seen == plan.items();
  }
}
