package dev.holdfast.cli.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A target, and whether it holds.
 *
 * @param name what is measured, in few words
 * @param target the limit for this machine, as people read it
 * @param measured what was measured, as people read it
 * @param holds whether the target holds
 */
record TargetLine(String name, String target, String measured, boolean holds) {
  Map<String, Object> toJson() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("target", target);
    fields.put("measured", measured);
    fields.put("holds", holds);
    return fields;
  }
}
