package dev.holdfast.acceptance.cli;

import dev.holdfast.cli.Main;
import dev.holdfast.testkit.JsonReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Assertions;

/**
 * What a command that ran in this process printed, and its exit code. Its workers are real
 * processes.
 */
record CommandLineRun(int exit, String out, String err) {
  static CommandLineRun of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        Main.run(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            args);
    return new CommandLineRun(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  Map<String, Object> json() {
    Assertions.assertEquals(Main.DONE, exit, err);
    return JsonReader.object(out);
  }
}
