package dev.holdfast.cli.bench;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Runs the passes of a cell, one behind the other. Belongs to one thread at a time. */
final class CellPasses {
  private final CellSpec cell;
  private final Session session;
  private final LongSupplier clock;
  private int number;
  private boolean verified = true;

  CellPasses(CellSpec cell, Session session) {
    this(cell, session, System::nanoTime);
  }

  /**
   * Makes the passes of a cell whose time somebody else counts.
   *
   * @param clock tells nanoseconds, as {@link System#nanoTime} does
   */
  CellPasses(CellSpec cell, Session session, LongSupplier clock) {
    this.cell = cell;
    this.session = session;
    this.clock = clock;
  }

  CellSpec cell() {
    return cell;
  }

  Session session() {
    return session;
  }

  /** Returns the time by the cell's clock. */
  long nanoTime() {
    return clock.getAsLong();
  }

  /** Returns what happens in the next pass. */
  PassPlan plan() {
    return cell.plan(number);
  }

  /** Runs the next pass. */
  void run(PassPlan plan) throws Exception {
    ItemCheck check = new ItemCheck(cell, plan);
    number++;
    session.pass(plan, check);
    verified &= check.passed();
  }

  /**
   * Runs the next pass.
   *
   * @param before sees each item before it is checked
   */
  void run(PassPlan plan, Consumer<Object> before) throws Exception {
    ItemCheck check = new ItemCheck(cell, plan);
    number++;
    session.pass(plan, before.andThen(check));
    verified &= check.passed();
  }

  /** Returns whether all items so far came whole and in their turn. */
  boolean verified() {
    return verified;
  }
}
