package dev.holdfast.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the script {@code holdfast} in a tree of its own, whose JDK and Maven only say their words.
 */
final class LauncherTest {
  private static final Path ROOT = Path.of(System.getProperty("holdfast.root", ".."));

  @TempDir private Path tree;

  @BeforeEach
  void makeTree() throws IOException {
    for (String module : List.of("arena", "loader", "cuda", "cli", "peers")) {
      Path source = tree.resolve(module).resolve("src/main");
      Files.createDirectories(source);
      age(Files.writeString(tree.resolve(module).resolve("pom.xml"), ""));
      age(source);
    }
    age(Files.writeString(tree.resolve("pom.xml"), ""));
    Files.copy(ROOT.resolve("holdfast"), tree.resolve("holdfast"));
    script("bin/find-jdk25", "echo \"" + tree.resolve("jdk") + "\"");
    script("jdk/bin/java", "for word in \"$@\"; do echo \"java $word\"; done");
    script(
        "mvnw",
        "echo \"maven $*\" >&2",
        "mkdir -p cli/target && : > cli/target/holdfast.jar",
        "case \" $* \" in *\" -pl peers \"*)",
        "  mkdir -p peers/target/lib && : > peers/target/lib/holdfast-peers.jar ;;",
        "esac");
  }

  @ParameterizedTest
  @ValueSource(strings = {"aeron", "memcpy,chronicle", "netty,pool", "pool,arrow,ring"})
  void aNamedPeerAddsTheClassPathOfThePeers(String names) throws Exception {
    List<String> lines = run("bench", "--transport", names, "--size", "1MiB");

    assertTrue(lines.contains("java dev.holdfast.cli.Main"), lines.toString());
    assertTrue(
        lines.contains("java " + tree + "/cli/target/holdfast.jar:" + tree + "/peers/target/lib/*"),
        lines.toString());
    assertEquals(lines, run("bench", "--transport", names, "--size", "1MiB"), "built once");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "memcpy,pool,ring,channel", "aerons", "notnetty,arrow-x"})
  void otherTransportsRunFromTheCommandsJarAlone(String names) throws Exception {
    List<String> lines = run("bench", "--transport=" + names, "--json", "aeron");

    assertTrue(lines.contains("java -jar"), lines.toString());
    assertFalse(lines.toString().contains("peers"), lines.toString());
    assertFalse(Files.exists(tree.resolve("peers/target")), "not built");
  }

  @Test
  void aPeerIsSeenInBothFormsOfTheOptionAndIsBuiltAgainWhenASourceIsNewer() throws Exception {
    run("bench", "--transport=netty");
    assertTrue(Files.exists(tree.resolve("peers/target/lib/holdfast-peers.jar")));
    age(tree.resolve("peers/target/lib/holdfast-peers.jar"));
    Files.writeString(tree.resolve("peers/src/main/New.java"), "");

    assertTrue(output("bench", "--transport=netty").contains("maven"), "built again");
    assertFalse(output("bench", "--transport=netty").contains("maven"), "nothing is newer");
  }

  private List<String> run(String... arguments) throws Exception {
    return output(arguments).lines().filter(line -> line.startsWith("java ")).toList();
  }

  private String output(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", tree.resolve("holdfast").toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  private void script(String name, String... lines) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void age(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
  }
}
