package dev.holdfast.cli.bench;

import java.io.Serializable;
import java.util.Map;

/** What came of a cell. */
sealed interface CellOutcome extends Serializable permits CellResult, CellNotSupported {
  /** Returns what was to be measured. */
  CellSpec cell();

  /** Returns the fields of the JSON document. */
  Map<String, Object> toJson();
}
