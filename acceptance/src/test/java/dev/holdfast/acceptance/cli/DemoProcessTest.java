package dev.holdfast.acceptance.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.Probe;
import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.cli.Main;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a process of its own. */
@ExtendWith(Leftovers.class)
final class DemoProcessTest {
  private static final int SIGINT = 2;

  /** Runs the rest of the line on a pseudo-terminal. */
  private static final String[] ON_A_TERMINAL = {
    "bash", "-c", "exec script -qec \"$(printf '%q ' \"$@\")\" /dev/null", "bash"
  };

  private static final Pattern PROGRESS =
      Pattern.compile(
          "epoch (?<epoch>\\d+): (?<items>\\d+) items, (?<rate>\\d+) items/s,"
              + " \\d+\\.\\d MiB/s, (?<held>\\d+) units held\033\\[K");

  private static final Path LOOPS =
      Path.of(System.getProperty("holdfast.root", ".."), "cli/src/main/jvm/decoding-loops.json")
          .toAbsolutePath();

  @TempDir private Path temporary;

  @Test
  void withoutAFolderItDrawsPicturesAndRemovesThem() {
    try (ChildJvm demo = start("demo", "--json", "-")) {
      demo.awaitSuccess();

      assertTrue(
          demo.errorOutput().contains("delivered:  512 pictures, 0 failed"), demo.errorOutput());
      assertTrue(demo.output().contains("\"delivered\": 512"), demo.output());
      assertEquals(List.of(), files(temporary));
    }
  }

  @Test
  void onATerminalALineOfItsProgressIsDrawnOverAndOver() {
    Probe.assumeWorks("script", "--version");
    try (ChildJvm demo = builder("demo", "--epochs", "2").prefix(ON_A_TERMINAL).start()) {
      demo.awaitSuccess();

      String shown = demo.output();
      List<MatchResult> drawn = PROGRESS.matcher(shown).results().toList();
      assertTrue(drawn.size() > 2, shown);
      assertTrue(drawn.stream().anyMatch(line -> number(line, "held") > 0), shown);
      for (int i = 1; i < drawn.size(); i++) {
        MatchResult before = drawn.get(i - 1);
        assertTrue(number(before, "items") <= number(drawn.get(i), "items"), shown);
        assertTrue(number(before, "epoch") <= number(drawn.get(i), "epoch"), shown);
      }
      assertEquals(2, number(drawn.getLast(), "epoch"), shown);
      assertTrue(number(drawn.getLast(), "items") <= 1024, shown);
      assertTrue(number(drawn.getLast(), "rate") > 0, shown);
      assertTrue(shown.contains("\ndelivered:  512 pictures, 0 failed"), shown);
    }
  }

  private static long number(MatchResult line, String name) {
    return Long.parseLong(line.group(name));
  }

  @Test
  void withoutATerminalNoProgressIsShown() throws IOException {
    try (ChildJvm demo = start("demo", folderOfOne())) {
      demo.awaitSuccess();

      assertTrue(demo.output().contains("delivered:"), demo.output());
      assertFalse(demo.output().contains("units held"), demo.output());
      assertFalse(demo.output().contains("\033"), demo.output());
      assertEquals("", demo.errorOutput());
    }
  }

  @Test
  void anInterruptFromTheKeyboardEndsItCleanly() {
    try (ChildJvm demo = start("demo", "--epochs", "100000")) {
      ProcessHandle worker = awaitWorker(demo);

      demo.kill(SIGINT);

      assertEquals(ChildJvm.SIGNALLED + SIGINT, demo.awaitExit());
      Deadlines.assertEventually("the worker ends", () -> !worker.isAlive());
      assertEquals("", demo.errorOutput());
      assertEquals(List.of(), files(temporary));
    }
  }

  @Test
  void aWorkerKilledByHandIsOneLineWithItsSignal() throws IOException {
    try (ChildJvm demo = start("demo", folderOfOne(), "--epochs", "100000000")) {
      ProcessHandle worker = awaitWorker(demo);
      long killed = System.nanoTime();
      worker.destroyForcibly();

      assertEquals(Main.FAILED, demo.awaitExit());
      Promise.kept("the end of a demo", Promise.DEATH_REPORTED, killed);
      assertTrue(
          demo.errorOutput().startsWith("holdfast: WorkerDiedException: "), demo.errorOutput());
      assertTrue(demo.errorOutput().contains("signal=SIGKILL"), demo.errorOutput());
      assertFalse(demo.errorOutput().strip().contains("\n"), demo.errorOutput());
    }
  }

  @Test
  void withoutNativeAccessItSaysWhatToSetAndInlineStillWorks() throws IOException {
    String denied = "--illegal-native-access=deny";
    try (ChildJvm demo =
        ChildJvm.of(Main.class)
            .withoutNativeAccess()
            .jvmArgs(denied, "-Djava.io.tmpdir=" + temporary)
            .args("demo", folderOfOne())
            .start()) {
      assertEquals(Main.FAILED, demo.awaitExit());
      assertTrue(demo.errorOutput().contains("--enable-native-access="), demo.errorOutput());
    }
    try (ChildJvm demo =
        ChildJvm.of(Main.class)
            .withoutNativeAccess()
            .jvmArgs(denied, "-Djava.io.tmpdir=" + temporary)
            .args("demo", folderOfOne(), "--transport", "inline", "--json", "-")
            .start()) {
      demo.awaitSuccess();
      assertTrue(demo.output().contains("\"delivered\": 1,"), demo.output());
    }
  }

  @Test
  void aPathThatIsNoTextInThisLocaleIsNamedRight(@TempDir Path folder) throws Exception {
    Files.writeString(Path.of(URI.create(folder.toUri() + "%C3%A9.png")), "no picture");
    try (ChildJvm demo =
        ChildJvm.of(Main.class)
            .environment("LC_ALL", "C")
            .args("demo", folder.toString(), "--json", folder.resolve("out.json").toString())
            .start()) {
      demo.awaitSuccess();
    }
    Object failures =
        JsonReader.object(Files.readString(folder.resolve("out.json"))).get("failures");
    assertEquals("\u00e9.png", JsonReader.objects(failures).getFirst().get("name"));
  }

  /** In a long run the workers optimize the loops of decoding, and nothing else. */
  @Test
  void workersOfALongRunComeToTheFiguresOfOneProcessAndSayNothing() {
    Map<String, Object> inline = figures("--transport", "inline", "--epochs", "4");
    Map<String, Object> workers = figures("--workers", "2", "--epochs", "4");
    for (String same : List.of("delivered", "failed", "mean", "deviation")) {
      assertEquals(inline.get(same), workers.get(same), same);
    }
    assertEquals(List.of(), files(temporary));
  }

  private Map<String, Object> figures(String... args) {
    List<String> all = new ArrayList<>(List.of("demo", "--json", "-"));
    all.addAll(List.of(args));
    try (ChildJvm demo =
        builder(all.toArray(String[]::new)).jvmArgs("-Dholdfast.demo.loops=" + LOOPS).start()) {
      demo.awaitSuccess();
      List<String> said = demo.errorOutput().lines().toList();
      assertTrue(said.get(0).startsWith("drawing "), demo.errorOutput());
      assertTrue(said.get(1).startsWith("delivered:"), demo.errorOutput());
      return JsonReader.object(demo.output());
    }
  }

  @Test
  void loopsThatWorkersOptimizeAreMethodsOfThisVersionOfTheJdk() throws Exception {
    List<String> named =
        Pattern.compile("\"(\\w[\\w/]+\\.\\w+)\"")
            .matcher(Files.readString(LOOPS))
            .results()
            .map(name -> name.group(1))
            .toList();
    assertTrue(named.size() > 4, named::toString);
    for (String name : named) {
      String[] both = name.replace('/', '.').split("\\.(?=\\w+$)", -1);
      assertTrue(
          Arrays.stream(Class.forName(both[0]).getDeclaredMethods())
              .anyMatch(method -> method.getName().equals(both[1])),
          name);
    }
  }

  /** A folder with one small picture. */
  private String folderOfOne() throws IOException {
    Path folder = Files.createDirectories(temporary.resolve("pictures"));
    BufferedImage picture = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
    assertTrue(ImageIO.write(picture, "png", folder.resolve("one.png").toFile()));
    return folder.toString();
  }

  private ChildJvm start(String... args) {
    return builder(args).heedsInterrupts().start();
  }

  private ChildJvm.Builder builder(String... args) {
    return ChildJvm.of(Main.class).optimizing().jvmArgs("-Djava.io.tmpdir=" + temporary).args(args);
  }

  private static ProcessHandle awaitWorker(ChildJvm demo) {
    ProcessHandle parent = ProcessHandle.of(demo.pid()).orElseThrow();
    Deadlines.assertEventually(
        "the worker works",
        () ->
            parent
                .children()
                .anyMatch(
                    child ->
                        child
                            .info()
                            .totalCpuDuration()
                            .map(d -> d.toMillis() > 1500)
                            .orElse(false)));
    return parent.children().findFirst().orElseThrow();
  }

  private static List<String> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(Path::toString).filter(name -> !name.contains("hsperfdata")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
