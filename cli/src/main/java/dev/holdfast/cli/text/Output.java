package dev.holdfast.cli.text;

import dev.holdfast.arena.FailureDetail;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a command's text goes: people read one stream, programs a JSON file. With {@code -} for the
 * file the JSON has standard output for itself and people read standard error.
 */
public final class Output {
  private static final String STANDARD_OUTPUT = "-";

  private final PrintStream out;
  private final PrintStream human;
  private final @Nullable String json;
  private final boolean terminal;

  private Output(PrintStream out, PrintStream human, @Nullable String json, boolean terminal) {
    this.out = out;
    this.human = human;
    this.json = json;
    this.terminal = terminal;
  }

  /**
   * Chooses the streams.
   *
   * @param out standard output
   * @param err standard error
   * @param json the JSON file, {@code -} for standard output, or null for none
   * @return the output
   * @throws UsageException when the JSON file cannot be written
   */
  public static Output of(PrintStream out, PrintStream err, @Nullable String json) {
    boolean jsonAlone = STANDARD_OUTPUT.equals(json);
    if (json != null && !jsonAlone) {
      requireWritable(Path.of(json));
    }
    PrintStream human = jsonAlone ? err : out;
    boolean standard = human.equals(System.out) || human.equals(System.err);
    return new Output(out, human, json, standard && isTerminal(jsonAlone ? 2 : 1));
  }

  /**
   * Returns the stream that people read.
   *
   * @return the stream
   */
  public PrintStream human() {
    return human;
  }

  /**
   * Returns whether people read on a terminal, where a line can be drawn over.
   *
   * @return true on a terminal
   */
  public boolean terminal() {
    return terminal;
  }

  /**
   * Writes the JSON document, if one was asked for.
   *
   * @param document the document's fields
   * @throws IOException when the file cannot be written
   */
  public void json(Map<String, ?> document) throws IOException {
    if (json == null) {
      return;
    }
    byte[] bytes = Json.of(document).getBytes(StandardCharsets.UTF_8);
    if (STANDARD_OUTPUT.equals(json)) {
      out.write(bytes, 0, bytes.length);
      out.flush();
    } else {
      Files.write(Path.of(json), bytes);
    }
  }

  /**
   * Makes sure that a file can be written, before what it is for takes long.
   *
   * @param file the file, which need not exist
   * @throws UsageException when it cannot be written
   */
  public static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    boolean possible =
        Files.exists(file)
            ? !Files.isDirectory(file) && Files.isWritable(file)
            : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
    if (!possible) {
      throw new UsageException(
          FailureDetail.of("the file cannot be written")
              .with("file", file)
              .advise("name a file in a folder that exists and may be written to"));
    }
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException e) {
      return false;
    }
  }
}
