package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A target, and whether it holds.
 *
 * @param name what is measured, in few words
 * @param side on which side of the limit figures are good
 * @param format how people read limit and figure
 * @param unscaledLimit the limit on the machine that the target was set for
 * @param limit the limit here; NaN when a baseline has no answer
 * @param value what was measured; NaN when there is no figure
 */
record TargetLine(
    String name, Side side, String format, double unscaledLimit, double limit, double value) {
  /** Where figures are good. */
  enum Side {
    /** At the limit or above. */
    AT_LEAST(">="),
    /** At the limit or below. */
    AT_MOST("<="),
    /** Below the limit. */
    BELOW("<");

    private final String sign;

    Side(String sign) {
      this.sign = sign;
    }
  }

  /** Returns whether the target holds; one without a limit or a figure does not. */
  boolean holds() {
    return switch (side) {
      case AT_LEAST -> value >= limit;
      case AT_MOST -> value <= limit;
      case BELOW -> value < limit;
    };
  }

  /** Returns the limit for this machine, as people read it. */
  String target() {
    return side.sign + " " + Words.figure(format, limit);
  }

  /** Returns what was measured, as people read it. */
  String measured() {
    return Words.figure(format, value);
  }

  Map<String, Object> toJson() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("target", target());
    fields.put("measured", measured());
    fields.put("sign", side.sign);
    fields.put("limit", limit);
    fields.put("unscaledLimit", unscaledLimit);
    fields.put("value", value);
    fields.put("holds", holds());
    return fields;
  }
}
