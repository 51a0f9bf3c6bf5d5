package dev.holdfast.cli;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.UsageException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code holdfast} itself, which only has subcommands. */
@Command(
    name = "holdfast",
    description = "Hands large binary payloads from process to process through shared memory.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Exit codes: 0 done, 1 the run failed, 2 bad usage."})
final class HoldfastCommand implements Callable<Integer> {
  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Show the stack of an error.")
  private boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and do nothing.")
  @SuppressWarnings("unused") // that it was given is enough
  private boolean help;

  boolean verbose() {
    return verbose;
  }

  @Override
  public Integer call() {
    throw new UsageException(
        FailureDetail.of("no command was given").advise("try ./holdfast --help"));
  }
}
