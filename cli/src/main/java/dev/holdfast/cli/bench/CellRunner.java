package dev.holdfast.cli.bench;

import java.io.IOException;

/** Measures a cell. */
@FunctionalInterface
interface CellRunner {
  /**
   * Measures a cell.
   *
   * @throws CellFailedException when there is no answer
   * @throws IOException when a process cannot be started
   */
  CellOutcome run(CellSpec cell) throws IOException;
}
