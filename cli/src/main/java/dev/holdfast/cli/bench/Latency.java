package dev.holdfast.cli.bench;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Round trips of one item at a time.
 *
 * @param samples how many were measured
 * @param p50 microseconds that half of them took at most
 * @param p99 microseconds that 99 % of them took at most
 * @param p999 microseconds that 99.9 % of them took at most
 */
record Latency(long samples, double p50, double p99, double p999) implements Serializable {
  static final Latency NONE = new Latency(0, 0, 0, 0);

  Map<String, Object> toJson() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("p50", p50);
    fields.put("p99", p99);
    fields.put("p999", p999);
    fields.put("samples", samples);
    return fields;
  }
}
