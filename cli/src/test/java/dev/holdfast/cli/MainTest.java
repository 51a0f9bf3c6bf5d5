package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "demo --nonsense",
        "demo /no/such/folder",
        "demo --batch 0",
        "demo --batch many",
        "demo --segments 0",
        "demo --epochs 0",
        "demo --transport pigeon",
        "demo --backing /no/such/folder",
        "demo --json /no/such/folder/file.json",
        "demo one two",
        "bench --transport pigeon",
        "bench --payload pigeon",
        "bench --size big",
        "bench --size -1",
        "bench --payload tensor --size 5",
        "bench --scope forever",
        "bench --passes 0",
        "bench --busy-threads -1",
        "bench --measure wait --transport inline",
        "inspect /no/such/folder",
        "inspect one two",
        "inspect 0",
        "inspect 99999999999999999999",
        "inspect --json /no/such/folder/file.json",
        "sweep /no/such/folder",
        "sweep one two",
      })
  void badUsageIsOneLineOnStandardErrorAndExitCodeTwo(String line) {
    CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));

    assertEquals(Main.BAD_USAGE, run.exit());
    assertEquals("", run.out());
    assertTrue(run.err().matches("holdfast: [A-Za-z]+Exception: [^\n]+\n"), run.err());
  }

  @Test
  void aFileInPlaceOfAFolderIsBadUsage(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file"));

    assertEquals(Main.BAD_USAGE, CommandRun.of("demo", file.toString()).exit());
  }

  @Test
  void helpGoesToStandardOutput() {
    for (String line :
        new String[] {"--help", "demo --help", "bench -h", "inspect -h", "sweep -h"}) {
      CommandRun run = CommandRun.of(line.split(" "));

      assertEquals(Main.DONE, run.exit());
      assertTrue(run.out().startsWith("Usage: holdfast"), run.out());
      assertEquals("", run.err());
    }
  }

  @Test
  void verboseShowsTheStack() {
    CommandRun run = CommandRun.of("demo", "/no/such/folder", "--verbose");

    assertEquals(Main.BAD_USAGE, run.exit());
    assertTrue(run.err().contains("\n\tat dev.holdfast.cli.DemoCommand"), run.err());
  }
}
