package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.FailureDetail;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What errors say about a worker that has ended or does not answer. */
final class DeathReport {
  private static final long LAST_WORDS_MILLIS = 300;
  private static final int LAST_WORDS_CHARS = 8192;
  private static final String ERROR_FILE = "-XX:ErrorFile=";

  private final OutputPump output;
  private final OutputPump errors;
  private final List<String> jvmArgs;
  private final @Nullable Path folder;

  DeathReport(OutputPump output, OutputPump errors, List<String> jvmArgs, @Nullable Path folder) {
    this.output = output;
    this.errors = errors;
    this.jvmArgs = jvmArgs;
    this.folder = folder;
  }

  FailureDetail ended(String what, long pid, int exitCode) {
    errors.awaitEnd(LAST_WORDS_MILLIS);
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
    return withLastLines(detail).advise(Signals.advice(exitCode));
  }

  FailureDetail withLastLines(FailureDetail detail) {
    List<String> lines = errors.tail().lines();
    if (lines.isEmpty()) {
      // a JVM that cannot start says why on its standard output
      lines = output.tail().lines();
    }
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
