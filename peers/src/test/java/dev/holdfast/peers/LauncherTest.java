package dev.holdfast.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.cli.Main;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * Runs the script {@code holdfast} in a tree of its own, whose Maven only says its words, as does
 * its JDK unless a test gives it a real one.
 */
@ExtendWith(Leftovers.class)
@Timeout(300)
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
    script("jdk/bin/java", "echo \"pid $$\"", "for word in \"$@\"; do echo \"java $word\"; done");
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
  void aDemoLeavesTheProcessorsToItsDecodersAndNothingElseDoes() throws Exception {
    String kept = "java -XX:Tier4InvocationThreshold=100000";
    List<String> demo = run("demo", "folder");
    assertTrue(demo.contains(kept), demo.toString());
    assertTrue(demo.indexOf(kept) < demo.indexOf("java -jar"), demo.toString());
    assertEquals(List.of("java demo", "java folder"), demo.subList(demo.size() - 2, demo.size()));
    assertTrue(demo.contains("java -XX:Tier4MinInvocationThreshold=100000"), demo.toString());
    String loops = "java -Dholdfast.demo.loops=";
    List<String> files =
        demo.stream()
            .filter(line -> line.startsWith(loops))
            .map(line -> line.substring(loops.length()))
            .toList();
    assertEquals(1, files.size(), demo.toString());
    Path file = tree.toRealPath().relativize(Path.of(files.getFirst()));
    assertTrue(Files.isReadable(ROOT.resolve(file)), file.toString());
    assertTrue(run("--verbose", "demo", "a folder").containsAll(List.of(kept, "java a folder")));
    List<String> bench = run("bench", "--transport", "pool");
    assertFalse(bench.contains(kept), bench.toString());
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

  /** Whoever signals the script, or waits for it, means the command. */
  @ParameterizedTest
  @ValueSource(strings = {"aeron", "pool"})
  void theCommandTakesThePlaceOfTheScript(String names) throws Exception {
    Process process = start("bench", "--transport", names);
    String text = output(process);

    assertTrue(text.lines().toList().contains("pid " + process.pid()), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"arrow", "aeron", "chronicle", "netty"})
  void aPeersCellIsMeasuredByTheCommandThatTheScriptStarts(String name) throws Exception {
    giveRealClasses();
    Path json = tree.resolve("figures.json");

    String text =
        output(
            "bench",
            "--transport",
            name,
            "--size",
            "64KiB",
            "--items",
            "20",
            "--passes",
            "2",
            "--json",
            json.toString());

    assertFalse(text.contains("maven"), text);
    List<Map<String, Object>> cells =
        JsonReader.objects(JsonReader.object(Files.readString(json)).get("cells"));
    assertEquals(1, cells.size(), text);
    Map<String, Object> cell = cells.getFirst();
    assertEquals(name, cell.get("transport"));
    assertEquals(true, cell.get("verified"), cell.toString());
    assertEquals(65_536.0, cell.get("sizeBytes"));
    assertEquals(2, ((List<?>) cell.get("passes")).size());
    for (String field : List.of("bytesPerSecond", "producerCpuMicrosPerUnit", "peakPssBytes")) {
      assertTrue(JsonReader.number(cell.get(field)) > 0, cell.toString());
    }
  }

  /**
   * Gives the tree this JDK, and jars that lead to what this test runs with: the command's has what
   * the command needs, that of the peers all else.
   */
  private void giveRealClasses() throws Exception {
    script("bin/find-jdk25", "echo \"" + System.getProperty("java.home") + "\"");
    List<Path> command = new ArrayList<>();
    for (Class<?> type :
        List.of(
            Main.class,
            SharedMemoryArena.class,
            Subprocess.class,
            HostToDevice.class,
            CommandLine.class,
            Histogram.class)) {
      command.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    jar("cli/target/holdfast.jar", command::contains);
    jar("peers/target/lib/holdfast-peers.jar", entry -> !command.contains(entry));
  }

  /** Makes a jar that has nothing but the class path's entries that it leads to. */
  private void jar(String name, Predicate<Path> chosen) throws IOException {
    String entries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .map(entry -> Path.of(entry).toAbsolutePath())
            .filter(chosen)
            .map(Path::toUri)
            .map(URI::toString)
            .collect(Collectors.joining(" "));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, entries);
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    new JarOutputStream(Files.newOutputStream(file), manifest).close();
  }

  private List<String> run(String... arguments) throws Exception {
    return output(start(arguments)).lines().filter(line -> line.startsWith("java ")).toList();
  }

  private String output(String... arguments) throws Exception {
    return output(start(arguments));
  }

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", tree.resolve("holdfast").toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String output(Process process) throws Exception {
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), text);
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
