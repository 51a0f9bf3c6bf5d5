package dev.holdfast.cli;

import dev.holdfast.cli.bench.TargetPlan;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a command that ran in this process printed, and its exit code. */
record CommandRun(int exit, String out, String err) {
  static CommandRun of(String... args) {
    return of(TargetPlan.PROJECT, args);
  }

  static CommandRun of(TargetPlan targets, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        Main.run(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            targets,
            args);
    return new CommandRun(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
