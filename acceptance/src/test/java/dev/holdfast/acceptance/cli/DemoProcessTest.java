package dev.holdfast.acceptance.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a process of its own. */
@ExtendWith(Leftovers.class)
final class DemoProcessTest {
  private static final int SIGINT = 2;

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

  /** A folder with one small picture. */
  private String folderOfOne() throws IOException {
    Path folder = Files.createDirectories(temporary.resolve("pictures"));
    BufferedImage picture = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
    assertTrue(ImageIO.write(picture, "png", folder.resolve("one.png").toFile()));
    return folder.toString();
  }

  private ChildJvm start(String... args) {
    return ChildJvm.of(Main.class)
        .optimizing()
        .heedsInterrupts()
        .jvmArgs("-Djava.io.tmpdir=" + temporary)
        .args(args)
        .start();
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
