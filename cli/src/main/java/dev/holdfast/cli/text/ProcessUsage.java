package dev.holdfast.cli.text;

import dev.holdfast.arena.internal.os.CpuClocks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What the operating system says about a process. */
public final class ProcessUsage {
  private static final double NANOS = 1e9;

  private ProcessUsage() {}

  /**
   * Returns the processor time a process has used, user and system, as exactly as the kernel knows.
   *
   * @param pid the process
   * @return nanoseconds, or 0 when the process is gone
   */
  public static long cpuNanos(long pid) {
    return Math.max(0, CpuClocks.nanosOf(pid));
  }

  /**
   * Returns the processor time a process has used, user and system, in steps of a clock tick.
   *
   * @param pid the process
   * @return seconds, or 0 when the process is gone
   */
  public static double cpuSeconds(long pid) {
    Optional<Duration> used =
        ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration());
    return used.map(Duration::toNanos).orElse(0L) / NANOS;
  }

  /**
   * Returns the memory a process has in use, where each shared page counts in equal parts for those
   * that map it.
   *
   * @param pid the process
   * @return bytes, or 0 when the process is gone or does not let us look
   */
  public static long pssBytes(long pid) {
    try {
      // Opened and closed for each look: the kernel counts anew at each read from the start.
      for (String line :
          Files.readAllLines(
              Path.of("/proc/" + pid + "/smaps_rollup"), StandardCharsets.US_ASCII)) {
        if (line.startsWith("Pss:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
        }
      }
      return 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
