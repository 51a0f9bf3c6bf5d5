package dev.holdfast.cli;

import dev.holdfast.cli.inspect.Findings;
import dev.holdfast.cli.inspect.FindingsDocument;
import dev.holdfast.cli.inspect.FindingsText;
import dev.holdfast.cli.inspect.Target;
import dev.holdfast.cli.text.Output;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast inspect}. */
@Command(
    name = "inspect",
    description = {
      "Shows the arenas of running processes, or what is left in a folder. It only reads.",
      "Exit codes: 0 found, 1 nothing found, 2 bad usage."
    })
final class InspectCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Parameters(
      arity = "0..1",
      paramLabel = "PID|FOLDER",
      description =
          "A process that maps arenas, or a folder with files of arenas. Without it all processes"
              + " of this user.")
  private @Nullable String target;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write the findings there; with - to standard output, which has nothing else then.")
  private @Nullable String json;

  InspectCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws IOException {
    Target asked = Target.of(target);
    Output output = Output.of(out, err, json);
    Findings findings = Findings.of(asked);
    FindingsText.print(findings, output.human());
    output.json(FindingsDocument.of(findings));
    return findings.isEmpty() ? Main.FAILED : Main.DONE;
  }
}
