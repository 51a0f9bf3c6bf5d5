package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Folders of every kind as a backing. R31 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class FoldersTest {
  private static final String ODD_NAME = "with spaces, 'quotes' and b\u00fccher \u2603";

  @TempDir private Path folder;

  private Probe start() {
    return Probe.of(ChildJvm.of(Prober.class).directory(folder).environment("LC_ALL", "C.UTF-8"));
  }

  @Test
  void oddRelativeAndLinkedFoldersAndFilesWorkTheSame() throws Exception {
    Path odd = Files.createDirectory(folder.resolve(ODD_NAME));
    Files.createSymbolicLink(folder.resolve("link"), odd);
    try (Probe probe = start()) {
      for (String place :
          List.of(
              odd.toString(),
              ODD_NAME,
              "link",
              ".",
              "",
              "link/../link",
              folder + "/link/",
              "file:" + ODD_NAME + "/an arena",
              "file:link/an arena",
              "file:arena")) {
        assertEquals(3, Probe.number(probe.ok("stream 50000 3 " + place), "units"), () -> place);
      }
    }
    assertEquals(List.of(), list(odd));
  }

  private static List<Path> list(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Test
  void foldersThatCannotBeOneAreNamedBeforeAnythingIsMade() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    Files.createSymbolicLink(folder.resolve("broken"), folder.resolve("gone"));
    try (Probe probe = start()) {
      for (String place : List.of("missing", "file", "broken", "/proc/missing")) {
        for (String prefix : List.of("", "file:")) {
          String named = prefix.isEmpty() ? place : place + "/arena";
          String answer =
              probe.failed(IllegalArgumentException.class, "pool 4096 2 " + prefix + named);
          assertTrue(answer.contains(place), answer);
        }
      }
      String answer = probe.failed(IllegalArgumentException.class, "pool 4096 2 file:" + file);
      assertTrue(answer.contains("exists"), answer);
      probe.failed(IllegalArgumentException.class, "pool 4096 2 file:broken");
    }
    assertEquals(0, Files.size(file));
    assertTrue(Files.isSymbolicLink(folder.resolve("broken")));
  }

  @Test
  void folderThatMayNotBeWrittenToIsATypedError() throws Exception {
    Probe.assumeWorks("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true");
    Path closed = Files.createDirectory(folder.resolve("closed"));
    Path unlisted = Files.createDirectory(folder.resolve("unlisted"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.setPosixFilePermissions(unlisted, PosixFilePermissions.fromString("rwx-wx-wx"));
    try (Probe probe =
        Probe.behind("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")) {
      String answer = probe.ask("pool 4096 2 " + closed);
      assertTrue(answer.startsWith("FAILED dev.holdfast.arena."), answer);
      assertTrue(answer.contains("ermission denied") || answer.contains("EACCES"), answer);
      assertTrue(answer.contains(closed.toString()), answer);
      probe.ok("pool 4096 2 " + unlisted);
      probe.ok("close");
    }
  }
}
