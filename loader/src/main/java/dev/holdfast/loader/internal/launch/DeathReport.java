package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.FailureDetail;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What errors say about a worker that has ended or does not answer. */
final class DeathReport {
  private static final long LAST_WORDS_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
  private static final int LAST_WORDS_CHARS = 8192;
  private static final String ERROR_FILE = "-XX:ErrorFile=";

  private final OutputPump output;
  private final OutputPump errors;
  private final List<String> jvmArgs;
  private final @Nullable Path folder;
  private volatile boolean awaited;

  DeathReport(OutputPump output, OutputPump errors, List<String> jvmArgs, @Nullable Path folder) {
    this.output = output;
    this.errors = errors;
    this.jvmArgs = jvmArgs;
    this.folder = folder;
  }

  /** Describes the end of a process that had been ready. */
  FailureDetail ended(String what, long pid, int exitCode) {
    awaitOutputs();
    return described(what, pid, exitCode, lastLines());
  }

  /**
   * Describes the end of a process that had not been ready. A JVM that cannot start says why on its
   * standard output, and on the other one only that it cannot.
   */
  FailureDetail endedEarly(String what, long pid, int exitCode) {
    awaitOutputs();
    List<String> lines = new ArrayList<>(output.tail().lines());
    lines.addAll(errors.tail().lines());
    return described(what, pid, exitCode, lines);
  }

  /** Waits until what the process wrote last is written on; once, and not long. */
  void awaitOutputs() {
    if (!awaited) {
      long deadline = System.nanoTime() + LAST_WORDS_NANOS;
      output.awaitDrained(deadline);
      errors.awaitDrained(deadline);
      awaited = true;
    }
  }

  private FailureDetail described(String what, long pid, int exitCode, List<String> lines) {
    FailureDetail detail = FailureDetail.of(what).with("pid", pid);
    String signal = Signals.ofExitCode(exitCode);
    if (!signal.isEmpty()) {
      detail = detail.with("signal", signal);
    }
    detail = detail.with("exit", exitCode);
    String report = crashReport(pid);
    if (!report.isEmpty()) {
      detail = detail.with("crashReport", report);
    }
    return with(detail, lines).advise(Signals.advice(exitCode));
  }

  FailureDetail withLastLines(FailureDetail detail) {
    return with(detail, lastLines());
  }

  private List<String> lastLines() {
    List<String> lines = errors.tail().lines();
    return lines.isEmpty() ? output.tail().lines() : lines;
  }

  private static FailureDetail with(FailureDetail detail, List<String> lines) {
    if (lines.isEmpty()) {
      return detail;
    }
    String text = String.join(" | ", lines);
    return detail.with("lastLines", text.substring(Math.max(0, text.length() - LAST_WORDS_CHARS)));
  }

  private String crashReport(long pid) {
    String file = "hs_err_pid" + pid + ".log";
    List<Path> places = new ArrayList<>();
    for (String argument : jvmArgs) {
      if (argument.startsWith(ERROR_FILE)) {
        places.add(
            Path.of(argument.substring(ERROR_FILE.length()).replace("%p", String.valueOf(pid))));
      }
    }
    places.add(folder == null ? Path.of(file).toAbsolutePath() : folder.resolve(file));
    places.add(Path.of("/tmp", file));
    return places.stream().filter(Files::exists).findFirst().map(Path::toString).orElse("");
  }
}
