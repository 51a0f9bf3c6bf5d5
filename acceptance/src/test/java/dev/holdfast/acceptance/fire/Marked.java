package dev.holdfast.acceptance.fire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the processes of a round by a word on their command lines, however they descend from each
 * other and whoever of them has ended.
 */
final class Marked {
  /** The system property that has the word. */
  static final String PROPERTY = "holdfast.marker";

  private Marked() {}

  /** Returns an argument that marks a JVM. */
  static String jvmArgument(String word) {
    return "-D" + PROPERTY + "=" + word;
  }

  /** Returns the marked processes that live. */
  static List<Long> alive(String word) {
    String argument = jvmArgument(word) + "\0";
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .filter(process -> process.getFileName().toString().matches("\\d+"))
          .filter(process -> commandLine(process).contains(argument))
          .map(process -> Long.parseLong(process.getFileName().toString()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Empty for a process that has ended. */
  private static String commandLine(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
