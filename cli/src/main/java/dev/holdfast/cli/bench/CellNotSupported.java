package dev.holdfast.cli.bench;

import java.util.Map;

/**
 * A cell that its transport cannot carry.
 *
 * @param cell what was to be measured
 * @param reason why it cannot be
 */
record CellNotSupported(CellSpec cell, String reason) implements CellOutcome {
  /** Returns what stands where figures would. */
  String text() {
    return "not supported: " + reason;
  }

  @Override
  public Map<String, Object> toJson() {
    Map<String, Object> fields = CellResult.identity(cell);
    fields.put("supported", false);
    fields.put("notSupported", reason);
    return fields;
  }
}
