package dev.holdfast.acceptance.house;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A folder of its own for scripts of this project, which see nothing but what is put there. */
final class Scripts {
  private static final Path ROOT = Path.of(System.getProperty("holdfast.root", ".."));

  private final Path tree;

  /** What a script has said, and its exit status. */
  record Said(int status, String output, String errors) {}

  Scripts(Path tree) {
    this.tree = tree;
  }

  static String text(String name) throws IOException {
    return Files.readString(ROOT.resolve(name));
  }

  Path path(String name) {
    return tree.resolve(name);
  }

  void write(String name, String text) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  void writeExecutable(String name, String text) throws IOException {
    write(name, text);
    Files.setPosixFilePermissions(tree.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Makes a folder with links to tools of this machine, for a path that has nothing else. */
  String tools(String folder, String... names) throws IOException {
    Path made = Files.createDirectories(tree.resolve(folder));
    for (String name : names) {
      Files.createSymbolicLink(made.resolve(name), tool(name));
    }
    return made.toString();
  }

  private static Path tool(String name) {
    return List.of(Path.of("/usr/bin", name), Path.of("/bin", name)).stream()
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("not on this machine: " + name));
  }

  /** Runs a script of the tree with these variables alone. */
  Said run(Map<String, String> environment, String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh", tree.resolve(name).toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(tree, "output", ".txt");
    Path errors = Files.createTempFile(tree, "errors", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(tree.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process =
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
    process.getOutputStream().close();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still at it: " + command);
    return new Said(
        process.exitValue(),
        Files.readString(output, StandardCharsets.UTF_8),
        Files.readString(errors, StandardCharsets.UTF_8));
  }
}
