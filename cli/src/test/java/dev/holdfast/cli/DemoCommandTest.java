package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(Leftovers.class)
final class DemoCommandTest {
  private static final List<String> FIELDS =
      List.of(
          "transport",
          "delivered",
          "failed",
          "failures",
          "mean",
          "std",
          "seconds",
          "startSeconds",
          "epochSeconds",
          "bytes",
          "parentCpuSeconds",
          "workerCpuSeconds",
          "peakPssBytes",
          "gcRequests",
          "unitsPublished",
          "unitsReclaimed",
          "arenaBytes",
          "pinnedBytes");

  @TempDir private Path folder;

  @BeforeEach
  void drawFivePicturesAndTwoThatAreNone() throws Exception {
    for (int i = 0; i < 5; i++) {
      BufferedImage picture = new BufferedImage(10 + i, 20, BufferedImage.TYPE_INT_RGB);
      for (int x = 0; x < 10 + i; x++) {
        picture.setRGB(x, i, 0xff00ff + 1000 * i);
      }
      ImageIO.write(picture, "png", folder.resolve("picture-" + i + ".png").toFile());
    }
    Files.writeString(folder.resolve("picture-2b.png"), "no picture");
    Files.createFile(folder.resolve("zero.png"));
    Files.createDirectory(folder.resolve("folder"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"inline", "channel", "pool"})
  void eachFileIsDeliveredOrFailsByName(String transport) {
    CommandRun run = demo("--transport", transport, "--batch", "2", "--json", "-");

    assertEquals(Main.DONE, run.exit(), run.err());
    Map<String, Object> json = JsonReader.object(run.out());
    assertEquals(transport, json.get("transport"));
    assertEquals(5.0, json.get("delivered"));
    assertEquals(2.0, json.get("failed"));
    assertEquals(
        List.of("picture-2b.png", "zero.png"),
        JsonReader.objects(json.get("failures")).stream().map(f -> f.get("name")).toList());
    assertEquals(5 * 3 * 224 * 224 * 4.0, json.get("bytes"));
    assertTrue(run.err().contains("picture-2b.png: IIOException: "), run.err());
  }

  @Test
  void theJsonHasEveryFieldAndStandardOutputNothingElse() {
    CommandRun run = demo("--transport", "inline", "--epochs", "3", "--json", "-");

    Map<String, Object> json = JsonReader.object(run.out());
    assertTrue(json.keySet().containsAll(FIELDS), json.keySet().toString());
    assertEquals(3, ((List<?>) json.get("epochSeconds")).size());
    assertEquals(3, ((List<?>) json.get("mean")).size());
    assertTrue(JsonReader.number(json.get("peakPssBytes")) > 0);
    assertTrue(run.err().contains("delivered:"), run.err());
  }

  @Test
  void withAFileForTheJsonPeopleReadStandardOutput() throws Exception {
    Path file = folder.resolve("folder").resolve("figures.json");

    CommandRun run = demo("--transport", "inline", "--json", file.toString());

    assertEquals(5.0, JsonReader.object(Files.readString(file)).get("delivered"));
    assertTrue(run.out().contains("delivered:"), run.out());
    assertFalse(run.out().contains("\r"), "a progress line without a terminal");
    assertEquals("", run.err());
  }

  @Test
  void meanAndDeviationDoNotDependOnTheWayOrTheBatch() {
    Map<String, Object> inline = json("--transport", "inline", "--batch", "100");

    for (String[] way :
        new String[][] {
          {"--transport", "inline", "--batch", "1"},
          {"--transport", "channel", "--batch", "3"},
          {"--transport", "pool", "--batch", "2", "--segments", "2", "--epochs", "3"},
          {"--transport", "pool", "--segments", "1", "--backing", "/dev/shm"},
          {"--transport", "ring", "--batch", "2", "--segments", "2", "--epochs", "2"}
        }) {
      Map<String, Object> other = json(way);

      assertEquals(inline.get("mean"), other.get("mean"));
      assertEquals(inline.get("std"), other.get("std"));
    }
    assertNotEquals(List.of(), inline.get("mean"));
  }

  @Test
  void aPoolsFiguresAreInTheJson() {
    Map<String, Object> json = json("--transport", "pool", "--batch", "2", "--epochs", "2");

    assertEquals(json.get("unitsPublished"), json.get("unitsReclaimed"));
    assertTrue(JsonReader.number(json.get("unitsPublished")) >= 6);
    assertTrue(JsonReader.number(json.get("arenaBytes")) >= 4 * 2 * 3 * 224 * 224 * 4);
    assertTrue(JsonReader.number(json.get("workerCpuSeconds")) > 0);
    assertEquals(0.0, json.get("pinnedBytes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "ring"})
  void lockedBytesAreInTheJsonAndChangeNothingElse(String transport) {
    Map<String, Object> locked = json("--transport", transport, "--batch", "2", "--pin", "mlock");

    double batch = 2 * 3 * 224 * 224 * 4;
    double atLeast = transport.equals("pool") ? 4 * batch : batch;
    assertTrue(JsonReader.number(locked.get("pinnedBytes")) >= atLeast, locked.toString());
    assertEquals(json("--transport", "inline").get("mean"), locked.get("mean"));
  }

  @Test
  void anEmptyFolderIsNoFailure(@TempDir Path empty) {
    CommandRun run = CommandRun.of("demo", empty.toString(), "--transport", "pool", "--json", "-");

    assertEquals(Main.DONE, run.exit(), run.err());
    assertEquals(0.0, JsonReader.object(run.out()).get("delivered"));
    assertEquals(List.of(), JsonReader.object(run.out()).get("mean"));
  }

  /** A picture that cannot be decoded is a result like any other. */
  @Test
  void regionsSummaryHasALineForEachStageWithItsItems() {
    CommandRun run = demo("--workers", "2", "--batch", "2");
    assertEquals(Main.DONE, run.exit(), run.err());
    List<String> lines = run.out().lines().toList();
    int head = (int) lines.stream().takeWhile(line -> !line.startsWith("stage  ")).count();
    List<String> stages =
        lines.subList(head + 1, lines.size()).stream()
            .map(line -> String.join(" ", List.of(line.split(" +", -1)).subList(0, 4)))
            .toList();
    assertEquals(
        List.of("source 1 7 0", "workers 2 7 0", "decode 2 7 0", "batch 1 7 0"), stages, run.out());
  }

  private CommandRun demo(String... options) {
    String[] args = new String[options.length + 2];
    args[0] = "demo";
    args[1] = folder.toString();
    System.arraycopy(options, 0, args, 2, options.length);
    return CommandRun.of(args);
  }

  private Map<String, Object> json(String... options) {
    String[] more = Arrays.copyOf(options, options.length + 2);
    more[options.length] = "--json";
    more[options.length + 1] = "-";
    CommandRun run = demo(more);
    assertEquals(Main.DONE, run.exit(), run.err());
    return JsonReader.object(run.out());
  }
}
