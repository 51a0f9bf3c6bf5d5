package dev.holdfast.cli.text;

import dev.holdfast.arena.internal.os.CpuClocks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What the operating system says about a process. */
public final class ProcessUsage {
  private static final double NANOS = 1e9;

  private ProcessUsage() {}

  /**
   * Returns the processor time a process has used, user and system, as exactly as the kernel knows.
   *
   * @param pid the process
   * @return nanoseconds, or nothing when the process is gone
   */
  public static OptionalLong cpuNanos(long pid) {
    long nanos = CpuClocks.nanosOf(pid);
    return nanos < 0 ? OptionalLong.empty() : OptionalLong.of(nanos);
  }

  /**
   * Returns the processor time a process has used, user and system, in steps of a clock tick.
   *
   * @param pid the process
   * @return seconds, or nothing when the process is gone
   */
  public static OptionalDouble cpuSeconds(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration()).stream()
        .mapToDouble(used -> used.toNanos() / NANOS)
        .findFirst();
  }

  /**
   * Returns the memory that processes have in use together.
   *
   * @param pids the processes
   * @return the sum of their {@link #pssBytes(long)}, or nothing when one of them has none
   */
  public static OptionalLong pssBytes(List<Long> pids) {
    long sum = 0;
    for (long pid : pids) {
      OptionalLong bytes = pssBytes(pid);
      if (bytes.isEmpty()) {
        return bytes;
      }
      sum += bytes.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  /**
   * Returns the memory a process has in use, where each shared page counts in equal parts for those
   * that map it.
   *
   * @param pid the process
   * @return bytes, or nothing when the process is gone or does not let us look
   */
  public static OptionalLong pssBytes(long pid) {
    try {
      // Opened and closed for each look: the kernel counts anew at each read from the start.
      for (String line :
          Files.readAllLines(
              Path.of("/proc/" + pid + "/smaps_rollup"), StandardCharsets.US_ASCII)) {
        if (line.startsWith("Pss:")) {
          return OptionalLong.of(Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024);
        }
      }
      return OptionalLong.empty();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
