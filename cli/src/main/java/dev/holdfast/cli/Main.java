package dev.holdfast.cli;

import dev.holdfast.cli.bench.TargetPlan;
import dev.holdfast.cli.text.Words;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import picocli.CommandLine;

/**
 * Entry point of the {@code holdfast} command. Exit codes: 0 done, 1 the run failed, 2 bad usage.
 * An error is one line on standard error: {@code holdfast: }, the simple name of the exception and
 * its message; with {@code --verbose} the stack follows.
 */
public final class Main {
  /** Exit code of a command that did what it was asked for. */
  public static final int DONE = 0;

  /** Exit code of a command that failed. */
  public static final int FAILED = 1;

  /** Exit code of a command that was asked for something that makes no sense. */
  public static final int BAD_USAGE = 2;

  private Main() {}

  /**
   * Runs the command and ends the process with its exit code.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    System.exit(run(args));
  }

  /**
   * Runs the command on the standard streams.
   *
   * @param args the command line
   * @return the exit code
   */
  public static int run(String... args) {
    return run(System.out, System.err, args);
  }

  /**
   * Runs the command.
   *
   * @param out standard output
   * @param err standard error
   * @param args the command line
   * @return the exit code
   */
  public static int run(PrintStream out, PrintStream err, String... args) {
    return run(out, err, TargetPlan.PROJECT, args);
  }

  static int run(PrintStream out, PrintStream err, TargetPlan targets, String... args) {
    HoldfastCommand root = new HoldfastCommand();
    CommandLine command =
        new CommandLine(root)
            .addSubcommand(new DemoCommand(out, err))
            .addSubcommand(new BenchCommand(root, out, err, targets))
            .addSubcommand(new InspectCommand(out, err))
            .addSubcommand(new SweepCommand(out))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(writer(out))
            .setErr(writer(err))
            .setParameterExceptionHandler((failure, _) -> report(err, failure, root.verbose()))
            .setExecutionExceptionHandler((failure, _, _) -> report(err, failure, root.verbose()));
    try {
      return command.execute(args);
    } catch (Error failure) {
      return report(err, failure, root.verbose());
    }
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
  }

  private static int report(PrintStream err, Throwable failure, boolean verbose) {
    if (Shutdown.underWay(failure)) {
      return FAILED;
    }
    err.println("holdfast: " + Words.summary(failure));
    if (verbose) {
      failure.printStackTrace(err);
    }
    err.flush();
    return Shutdown.exitCode(failure);
  }
}
