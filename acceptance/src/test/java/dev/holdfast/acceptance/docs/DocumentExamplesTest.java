package dev.holdfast.acceptance.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java code in the README and in {@code docs/} compiles as it stands. A block that needs
 * another library says so in a comment of the document in front of it.
 */
final class DocumentExamplesTest {
  private static final Path ROOT = Path.of(System.getProperty("holdfast.root", ".."));
  private static final Pattern BLOCK =
      Pattern.compile("(<!-- not compiled: [^\\n]*-->\\n)?```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CLASS_NAME = Pattern.compile("class (\\w+)");
  private static final String CLASS_PATH = System.getProperty("java.class.path");

  @TempDir private Path folder;

  @Test
  void everyCompleteBlockCompiles() throws IOException {
    int compiled = 0;
    for (Path document : documents()) {
      for (String block : blocks(document)) {
        compile(block, document);
        compiled++;
      }
    }
    assertTrue(compiled >= 3, "only " + compiled + " blocks were found");
  }

  @Test
  void exampleOfTheReadmeRunsAndIsAsShortAsPromised() throws Exception {
    List<String> blocks = blocks(ROOT.resolve("README.md"));
    assertEquals(1, blocks.size());
    long body =
        blocks
            .getFirst()
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("import"))
            .count();
    assertTrue(body <= 15, "the example has " + body + " lines");
    String name = compile(blocks.getFirst(), Path.of("README.md"));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                ChildJvm.java(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                folder + File.pathSeparator + CLASS_PATH,
                name)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), () -> "it does not end: " + read(output));
      assertEquals(0, process.exitValue(), () -> read(output));
      assertEquals("0.0\n".repeat(100), read(output));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
    }
    return documents;
  }

  private static List<String> blocks(Path document) throws IOException {
    List<String> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(Files.readString(document));
    while (matcher.find()) {
      if (matcher.group(1) == null) {
        blocks.add(matcher.group(2));
      }
    }
    return blocks;
  }

  private String compile(String block, Path document) throws IOException {
    Matcher matcher = CLASS_NAME.matcher(block);
    assertTrue(matcher.find(), () -> "no class in a block of " + document);
    Path source = Files.writeString(folder.resolve(matcher.group(1) + ".java"), block);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-cp", CLASS_PATH, "-d", folder.toString(), "-proc:none", "-Xlint:all"),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertTrue(done, () -> document + ": " + messages);
    }
    assertFalse(messages.toString().contains("warning"), () -> document + ": " + messages);
    return matcher.group(1);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "unreadable: " + e;
    }
  }
}
