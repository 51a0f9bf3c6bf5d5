package dev.holdfast.cli;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.bench.Bench;
import dev.holdfast.cli.bench.BenchReport;
import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.Codec;
import dev.holdfast.cli.bench.HtmlReport;
import dev.holdfast.cli.bench.Payload;
import dev.holdfast.cli.bench.TargetPlan;
import dev.holdfast.cli.bench.Targets;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.UsageException;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code holdfast bench}. */
@Command(
    name = "bench",
    description = {
      "Measures how items get from a producer to a consumer, each cell in fresh processes.",
      "A wrong item fails the run."
    })
final class BenchCommand implements Callable<Integer> {
  private static final Set<String> BESIDE_PRESET =
      Set.of("--preset", "--passes", "--segments", "--json", "--html", "--verbose");

  private final HoldfastCommand root;
  private final PrintStream out;
  private final PrintStream err;
  private final TargetPlan targets;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "memcpy,pool,ring,channel",
      description =
          "memcpy, pool, pool-in-place, ring, channel, pipe, socket, inline, futex; other"
              + " libraries: aeron, arrow, chronicle, netty. Default: ${DEFAULT-VALUE}.")
  private List<String> transports = List.of();

  @Option(
      names = "--payload",
      paramLabel = "KIND",
      split = ",",
      defaultValue = "buffer",
      description = "buffer, tensor, bytes, floats, map. Default: ${DEFAULT-VALUE}.")
  private List<Payload> payloads = List.of();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      split = ",",
      description =
          "Sizes of an item's bytes. Default: 64KiB,1MiB,8MiB,32MiB; for pool-in-place 1MiB,64MiB.")
  private List<String> sizes = List.of();

  @Option(
      names = "--shared-fill",
      description =
          "In pool-in-place, memory that several threads may fill, with its handshake per item.")
  private boolean sharedFill;

  @Option(
      names = "--items",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Items in each pass, or round trips. Default: what takes a third of a second, or less"
              + " where a cell would take more than 10 s.")
  private int items;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "9",
      description = "Timed passes. Default: ${DEFAULT-VALUE}.")
  private int passes;

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Segments of a pool, or items that a ring holds. Default: what 4 MiB have room for, 4 at"
              + " least and 64 at most.")
  private int segments;

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      defaultValue = "confined",
      description = "Lifetime of views: collected, confined, shared. Default: ${DEFAULT-VALUE}.")
  private ViewScope scope = ViewScope.CONFINED;

  @Option(
      names = "--busy-threads",
      paramLabel = "N",
      defaultValue = "0",
      description = "Threads that spin in the consumer's process. Default: ${DEFAULT-VALUE}.")
  private int busyThreads;

  @Option(
      names = "--measure",
      paramLabel = "WHAT",
      split = ",",
      defaultValue = "throughput",
      description =
          "throughput; wait: the processor time of 5 s of waiting; latency: round trips alone."
              + " Default: ${DEFAULT-VALUE}.")
  private List<CellSpec.Measure> measures = List.of();

  @Option(
      names = "--codec",
      paramLabel = "NAME",
      defaultValue = "compact",
      description =
          "How a worker's channel writes what is not a payload: compact, java. Default:"
              + " ${DEFAULT-VALUE}.")
  private Codec codec = Codec.COMPACT;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description =
          "targets: the targets of the project, with limits scaled to this machine; exit code 1"
              + " when one is missed. Takes none of the options that say what is measured.")
  private @Nullable Preset preset;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write the figures there; with - to standard output, which has nothing else then.")
  private @Nullable String json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the report there as one page with charts, which needs no other file.")
  private @Nullable Path html;

  BenchCommand(HoldfastCommand root, PrintStream out, PrintStream err, TargetPlan targets) {
    this.root = root;
    this.out = out;
    this.err = err;
    this.targets = targets;
  }

  @Override
  public Integer call() throws IOException {
    if (preset != null) {
      requireNothingElse(preset);
    }
    Output output = Output.of(out, err, json);
    if (html != null) {
      Output.requireWritable(html);
    }
    BenchReport report =
        preset == Preset.TARGETS
            ? new Targets(targets, passes, segments, output, root.verbose()).run()
            : matrix().run(output, root.verbose());
    if (html != null) {
      HtmlReport.write(html, report);
    }
    report.throwFailure();
    return report.missedTarget() ? Main.FAILED : Main.DONE;
  }

  /** A preset says itself what is measured: an option that it would ignore is refused. */
  private void requireNothingElse(Preset chosen) {
    String ignored =
        Objects.requireNonNull(spec).commandLine().getParseResult().matchedOptions().stream()
            .map(OptionSpec::longestName)
            .filter(name -> !BESIDE_PRESET.contains(name))
            .distinct()
            .collect(Collectors.joining(","));
    if (!ignored.isEmpty()) {
      throw new UsageException(
          FailureDetail.of("the preset says itself what is measured")
              .with("preset", Words.lower(chosen))
              .with("refused", ignored)
              .advise("leave these options out, or --preset"));
    }
  }

  private Bench matrix() {
    return new Bench(
        List.copyOf(transports),
        List.copyOf(payloads),
        sizes.stream().map(BenchCommand::size).toList(),
        List.copyOf(measures),
        scope,
        items,
        passes,
        segments,
        busyThreads,
        sharedFill,
        codec);
  }

  /** Items of no bytes make round trips comparable. */
  private static long size(String text) {
    return text.strip().equals("0") ? 0 : Sizes.parse(text);
  }

  /** Matrices with a name. */
  enum Preset {
    /** All that there is a target for. */
    TARGETS
  }
}
