package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Json;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where a benchmark ran.
 *
 * @param processor the processor's name
 * @param processors how many of them this process may use
 * @param memoryBytes the memory of the machine; NaN when it could not be read
 * @param system name and version of the operating system
 * @param java the version of the JDK
 * @param jvm name and version of the virtual machine
 * @param collector the garbage collectors of the JVM
 */
record Machine(
    String processor,
    int processors,
    double memoryBytes,
    String system,
    String java,
    String jvm,
    String collector) {
  /** Looks at this machine. */
  static Machine here() {
    return new Machine(
        value(Path.of("/proc/cpuinfo"), "model name"),
        Runtime.getRuntime().availableProcessors(),
        kibibytes(value(Path.of("/proc/meminfo"), "MemTotal")),
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        property("java.version"),
        property("java.vm.name") + " " + property("java.vm.version"),
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", ")));
  }

  /** Returns the facts as people read them, in their order. */
  Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("processor", processors + " x " + processor);
    facts.put("memory", Words.figure("%.1f GiB", memoryBytes / Sizes.GIB));
    facts.put("system", system);
    facts.put("java", java + ", " + jvm);
    facts.put("collector", collector);
    return facts;
  }

  Map<String, Object> toJson() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("processor", processor);
    fields.put("processors", processors);
    fields.put("memoryBytes", Json.whole(memoryBytes));
    fields.put("system", system);
    fields.put("java", java);
    fields.put("jvm", jvm);
    fields.put("collector", collector);
    return fields;
  }

  private static String property(String name) {
    return System.getProperty(name, Words.UNKNOWN);
  }

  /** Finds the first line {@code name: value} of a file of the kernel. */
  private static String value(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
          return Words.oneLine(line.substring(colon + 1));
        }
      }
      return Words.UNKNOWN;
    } catch (IOException e) {
      return Words.UNKNOWN;
    }
  }

  private static double kibibytes(String value) {
    String digits = value.replaceAll("[^0-9]", "");
    return digits.isEmpty() ? Double.NaN : Long.parseLong(digits) * 1024.0;
  }
}
