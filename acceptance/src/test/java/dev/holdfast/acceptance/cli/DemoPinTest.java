package dev.holdfast.acceptance.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.Main;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import dev.holdfast.testkit.cuda.StubLog;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo with memory that the driver of a device page-locks: a stand-in for it, or none. */
@ExtendWith(Leftovers.class)
final class DemoPinTest {
  private static final double BATCH_BYTES = 2 * 3 * 224 * 224 * 4;

  @TempDir private Path folder;

  @BeforeEach
  void drawFivePictures() throws Exception {
    for (int i = 0; i < 5; i++) {
      BufferedImage picture = new BufferedImage(20 + i, 30, BufferedImage.TYPE_INT_RGB);
      picture.setRGB(i, i, 0xff8800);
      assertTrue(ImageIO.write(picture, "png", folder.resolve(i + ".png").toFile()));
    }
  }

  private CommandLineRun demo(String... options) {
    String[] args = new String[options.length + 6];
    List<String> first = List.of("demo", folder.toString(), "--batch", "2", "--json", "-");
    for (int i = 0; i < args.length; i++) {
      args[i] = i < first.size() ? first.get(i) : options[i - first.size()];
    }
    return CommandLineRun.of(args);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "ring"})
  void theDriverLocksWhatTheFiguresSayAndIsGivenAllOfItBack(String transport) {
    StubDriver stub = StubDriver.install();

    Map<String, Object> figures = demo("--transport", transport, "--pin", "cuda").json();

    long locked = (long) JsonReader.number(figures.get("pinnedBytes"));
    List<StubLog.Line> registered = stub.log().done("cuMemHostRegister");
    assertTrue(locked >= BATCH_BYTES, figures.toString());
    if (transport.equals("pool")) {
      assertEquals(1, registered.size());
      assertEquals(locked, registered.getFirst().value("bytes"));
    }
    assertEquals(5.0, figures.get("delivered"));
    stub.assertCleanAndOver();
  }

  @Test
  void aRefusalOfTheDriverEndsItWithOneLineAndNothingIsLeftLocked() {
    StubDriver stub = StubDriver.install();
    stub.configure("cuMemHostRegister=fail(801)@*");

    CommandLineRun run = demo("--transport", "pool", "--pin", "cuda");

    assertEquals(Main.FAILED, run.exit());
    assertTrue(run.err().startsWith("holdfast: PinningException: "), run.err());
    assertTrue(run.err().contains("go on unpinned"), run.err());
    stub.assertCleanAndOver();
  }

  @Test
  void withoutADriverItSaysSo() {
    try (ChildJvm demo =
        ChildJvm.of(Main.class)
            .jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=libno-such-driver.so.1")
            .args("demo", folder.toString(), "--pin", "cuda")
            .start()) {
      assertEquals(Main.FAILED, demo.awaitExit());
      String error = demo.errorOutput();
      assertTrue(error.startsWith("holdfast: DeviceException: "), error);
      assertTrue(error.contains("libno-such-driver.so.1"), error);
      assertEquals(1, error.lines().count(), error);
    }
  }
}
