package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.CodecSource;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a region's workers are started, in a form that crosses to the worker which starts them.
 *
 * @param channelBytes see {@link SubprocessOptions}
 * @param bufferSize see {@link SubprocessOptions}
 * @param startTimeout see {@link SubprocessOptions}
 * @param timeout see {@link SubprocessOptions}, or null
 * @param jvmArgs see {@link SubprocessOptions}
 * @param environment see {@link SubprocessOptions}
 * @param workingDirectory see {@link SubprocessOptions}, or null
 * @param standardOutput see {@link SubprocessOptions}
 * @param standardError see {@link SubprocessOptions}
 * @param filter see {@link SubprocessOptions}, or null; whether it can cross is checked when it
 *     does
 * @param codec see {@link SubprocessOptions}
 * @param keepJavaToolOptions see {@link SubprocessOptions}
 */
@SuppressWarnings("serial") // whether the filter can cross is checked when it does
public record OptionsForm(
    int channelBytes,
    int bufferSize,
    Duration startTimeout,
    @Nullable Duration timeout,
    ArrayList<String> jvmArgs,
    LinkedHashMap<String, String> environment,
    @Nullable String workingDirectory,
    Output standardOutput,
    Output standardError,
    @Nullable ObjectInputFilter filter,
    CodecSource codec,
    boolean keepJavaToolOptions)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * Where a stream goes.
   *
   * @param kind which case of {@link WorkerOutput}
   * @param path the file, or empty
   */
  record Output(String kind, String path) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Output of(WorkerOutput output) {
      return switch (output) {
        case WorkerOutput.Inherit _ -> new Output("inherit", "");
        case WorkerOutput.StandardError _ -> new Output("error", "");
        case WorkerOutput.Discard _ -> new Output("discard", "");
        case WorkerOutput.Log _ -> new Output("log", "");
        case WorkerOutput.ToFile(var file) -> new Output("file", file.toString());
      };
    }

    WorkerOutput output() {
      return switch (kind) {
        case "error" -> WorkerOutput.standardError();
        case "discard" -> WorkerOutput.discard();
        case "log" -> WorkerOutput.log();
        case "file" -> WorkerOutput.file(Path.of(path));
        default -> WorkerOutput.inherit();
      };
    }
  }

  /** Makes the form of options. */
  public static OptionsForm of(SubprocessOptions options) {
    return new OptionsForm(
        options.channelBytes(),
        options.bufferSize(),
        options.startTimeout(),
        options.timeout().orElse(null),
        new ArrayList<>(options.jvmArgs()),
        new LinkedHashMap<>(options.environment()),
        options.workingDirectory().map(Path::toString).orElse(null),
        Output.of(options.standardOutput()),
        Output.of(options.standardError()),
        options.deserializationFilter().orElse(null),
        options.codec(),
        options.keepJavaToolOptions());
  }

  /** Makes the options again. */
  public SubprocessOptions options() {
    SubprocessOptions.Builder builder =
        SubprocessOptions.builder()
            .channelBytes(channelBytes)
            .bufferSize(bufferSize)
            .startTimeout(startTimeout)
            .jvmArgs(jvmArgs.toArray(String[]::new))
            .standardOutput(standardOutput.output())
            .standardError(standardError.output())
            .codec(codec)
            .keepJavaToolOptions(keepJavaToolOptions);
    if (timeout != null) {
      builder.timeout(timeout);
    }
    if (workingDirectory != null) {
      builder.workingDirectory(Path.of(workingDirectory));
    }
    if (filter != null) {
      builder.deserializationFilter(filter);
    }
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      builder.environment(variable.getKey(), variable.getValue());
    }
    return builder.build();
  }
}
