package dev.holdfast.cli.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Measures cells one behind the other and keeps what came of them. Belongs to one thread. */
final class Cells {
  private final CellRunner runner;
  private final PrintStream progress;
  private final List<CellOutcome> outcomes = new ArrayList<>();
  private @Nullable CellFailedException failure;

  /**
   * Makes an empty collection.
   *
   * @param runner measures each
   * @param progress gets a line for each cell
   */
  Cells(CellRunner runner, PrintStream progress) {
    this.runner = runner;
    this.progress = progress;
  }

  /**
   * Measures a cell. One that is not stable is measured once more, unless its passes are so short
   * that the next time would say no more, or busy threads make them as long as it happens.
   *
   * @return its figures, if there are any and they come from whole items
   */
  Optional<CellResult> measure(CellSpec cell) throws IOException {
    try {
      CellOutcome outcome = runner.run(cell);
      if (outcome instanceof CellResult first && again(first)) {
        progress.println(BenchText.line(first) + ", once more");
        progress.flush();
        outcome = secondOf(cell, first);
      }
      return keep(outcome);
    } catch (CellFailedException e) {
      failed(e);
      return Optional.empty();
    } finally {
      progress.flush();
    }
  }

  /** Returns the first figures when there are no others. */
  private CellOutcome secondOf(CellSpec cell, CellResult first) throws IOException {
    try {
      CellOutcome outcome = runner.run(cell);
      return outcome instanceof CellResult second ? second.withRuns(2) : outcome;
    } catch (CellFailedException e) {
      failed(e);
      return first;
    }
  }

  private void failed(CellFailedException e) {
    progress.println(e.getMessage());
    failure = failure == null ? e : failure;
  }

  private static boolean again(CellResult first) {
    return first.verified()
        && first.unstable()
        && first.judged()
        && first.cell().busyThreads() == 0;
  }

  private Optional<CellResult> keep(CellOutcome outcome) {
    outcomes.add(outcome);
    if (!(outcome instanceof CellResult result)) {
      progress.println(BenchText.line(outcome));
      return Optional.empty();
    }
    if (!result.verified()) {
      throw new CellFailedException(
          CellProcess.describe(result.cell(), "items were missing, out of their turn or damaged"));
    }
    progress.println(BenchText.line(result));
    return Optional.of(result);
  }

  /** Returns what came of all cells so far. */
  BenchReport report(List<TargetLine> targets) {
    return new BenchReport(Machine.here(), outcomes, targets, failure);
  }
}
