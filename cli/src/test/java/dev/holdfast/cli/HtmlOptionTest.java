package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leftovers.class)
final class HtmlOptionTest {
  @TempDir private Path folder;

  @Test
  void thePageIsWrittenAlsoWhenACellIsNotSupportedAndOneFails() throws Exception {
    Path page = folder.resolve("page.html");
    CommandRun run =
        CommandRun.of(
            "bench",
            "--transport",
            "refusing,inline,dying",
            "--size",
            "64KiB",
            "--items",
            "10",
            "--passes",
            "1",
            "--html",
            page.toString());

    assertEquals(Main.FAILED, run.exit(), run.err());
    String text = Files.readString(page);
    assertTrue(text.contains("<td>inline</td>"), text);
    assertTrue(text.contains("<td>refusing</td>"), text);
    assertTrue(text.contains("not supported: "), text);
    assertTrue(text.contains("The run failed: CellFailedException"), text);
  }

  @Test
  void aPageThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured() {
    Path page = folder.resolve("missing").resolve("page.html");

    CommandRun run = CommandRun.of("bench", "--transport", "dying", "--html", page.toString());

    assertEquals(Main.BAD_USAGE, run.exit());
    assertTrue(run.err().contains(page.toString()), run.err());
    assertFalse(run.out().contains("dying"), run.out());
  }
}
