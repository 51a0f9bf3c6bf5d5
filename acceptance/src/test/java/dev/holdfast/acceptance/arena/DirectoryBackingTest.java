package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A file in a folder that has no name. */
final class DirectoryBackingTest extends BackingContract {

  @Override
  Backing backing() {
    return Backing.directory(folder);
  }

  @Override
  String kind() {
    return "directory";
  }

  @Override
  Path path() {
    return folder;
  }

  @Override
  int names() {
    return 0;
  }

  // R20, R31, R32
  @Test
  void poolLargerThanItsMountIsRefusedAndASmallerOneFitsAfterwards() {
    assertLackOfSpaceIsAnError(childOnSmallMount("size=4m", "large", String.valueOf(32 << 20)));
  }

  // R20
  @Test
  void secondPoolAndAMountFilledByOthersAreRefused() {
    assertLackOfSpaceIsAnError(
        childOnSmallMount("size=4m", "second", folder.resolve("filler").toString()));
  }

  // R26
  @Test
  void oneInodeIsEnoughForAPool() {
    assertLackOfSpaceIsAnError(
        childOnSmallMount("size=4m,nr_inodes=3", "large", String.valueOf(32 << 20)));
  }

  // R31
  @Test
  void foldersWithOddNamesAndLinksWorkAndAMissingOneIsNamed() throws IOException {
    Path odd = Files.createDirectory(folder.resolve("a folder, ünïcode"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), odd);
    for (Path place : new Path[] {odd, link, Path.of("/dev/shm")}) {
      try (Rig rig = rig(Backing.directory(place))) {
        rig.passThrough(4, 8192);
      }
    }
    Path missing = folder.resolve("missing");
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> rig(Backing.directory(missing)).close());
    assertTrue(refused.getMessage().contains("missing"), refused::getMessage);
    Path file = Files.createFile(folder.resolve("file"));
    assertThrows(IllegalArgumentException.class, () -> rig(Backing.directory(file)).close());
  }
}
