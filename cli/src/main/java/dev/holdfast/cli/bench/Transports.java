package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.UsageException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The transports that are there. */
final class Transports {
  private Transports() {}

  static Transport named(String name) {
    Map<String, Transport> known = new TreeMap<>();
    for (Transport transport : ServiceLoader.load(Transport.class)) {
      known.put(transport.name(), transport);
    }
    Transport transport = known.get(name);
    if (transport == null) {
      throw new UsageException(
          FailureDetail.of("no such transport")
              .with("transport", name)
              .with("known", String.join(",", known.keySet())));
    }
    return transport;
  }
}
