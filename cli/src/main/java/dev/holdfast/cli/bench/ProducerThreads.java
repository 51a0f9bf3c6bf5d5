package dev.holdfast.cli.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Processor time of the threads of another process without those that every JVM has: compilers,
 * collectors and housekeeping. Threads that end in between are not counted.
 */
final class ProducerThreads {
  private static final List<String> OF_THE_JVM =
      List.of(
          "Attach Listen",
          "C1 Compiler",
          "C2 Compiler",
          "Finalizer",
          "G1 ",
          "GC Thread",
          "Monitor Deflat",
          "Notification",
          "Reference Hand",
          "Service Thread",
          "Signal Dispatc",
          "VM ");

  private final Path threads;
  private final Map<String, Long> atStart = new HashMap<>();

  ProducerThreads(long pid) {
    threads = Path.of("/proc/" + pid + "/task");
  }

  void start() {
    atStart.clear();
    atStart.putAll(nanosByThread());
  }

  /** Returns nanoseconds, NaN when not a thread could be looked at. */
  double nanosSinceStart() {
    Map<String, Long> now = nanosByThread();
    if (now.isEmpty()) {
      return Double.NaN;
    }
    long sum = 0;
    for (Map.Entry<String, Long> thread : now.entrySet()) {
      sum += thread.getValue() - atStart.getOrDefault(thread.getKey(), 0L);
    }
    return sum;
  }

  private Map<String, Long> nanosByThread() {
    Map<String, Long> nanos = new HashMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        if (OF_THE_JVM.stream().noneMatch(text(thread.resolve("comm"))::startsWith)) {
          String name = thread.getFileName().toString();
          cpuNanos(thread.resolve("schedstat")).ifPresent(spent -> nanos.put(name, spent));
        }
      }
    } catch (IOException e) {
      return nanos; // the process is gone, which the pass says
    }
    return nanos;
  }

  /** The first number of {@code schedstat} is the time on a processor in nanoseconds. */
  private static OptionalLong cpuNanos(Path schedstat) {
    String text = text(schedstat);
    int blank = text.indexOf(' ');
    return blank < 0
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(text.substring(0, blank)));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // a thread that has just ended
    }
  }
}
