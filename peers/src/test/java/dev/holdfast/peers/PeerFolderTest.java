package dev.holdfast.peers;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.bench.NotSupportedException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class PeerFolderTest {
  @Test
  void closingRemovesTheFolderWithAllInIt() throws Exception {
    Path path;
    try (PeerFolder folder = PeerFolder.create("test", 0)) {
      path = folder.path();
      Files.createDirectory(path.resolve("inner"));
      Files.writeString(path.resolve("inner").resolve("file"), "content");
    }

    assertFalse(Files.exists(path));
  }

  @Test
  void theNextFolderRemovesOneWhoseProcessWasKilledAndNoOther() throws Exception {
    try (ChildJvm child = ChildJvm.of(Holder.class).jvmArgs(ChildJvm.SHORT_LIVED).start();
        PeerFolder own = PeerFolder.create("test", 0)) {
      Path held = Path.of(child.awaitLine("folder="));
      Path young = own.path().resolveSibling(own.path().getFileName() + "-young");
      Files.createDirectory(young);
      Files.createFile(young.resolve("lock"));
      age(held);
      age(own.path());

      PeerFolder.create("test", 0).close();

      assertTrue(Files.exists(held), "held by another process");
      assertTrue(Files.exists(own.path()), "held by this process");
      assertTrue(Files.exists(young), "perhaps being made");
      child.killAndAwait();
      PeerFolder.create("test", 0).close();
      assertFalse(Files.exists(held), "left by a process that is gone");
      Files.delete(young.resolve("lock"));
      Files.delete(young);
    }
  }

  @Test
  void withoutRoomThereIsNoFolder() {
    NotSupportedException refusal =
        assertThrows(
            NotSupportedException.class, () -> PeerFolder.create("test", 1L << 60).close());

    assertTrue(refusal.getMessage().contains("/dev/shm"), refusal.getMessage());
  }

  private static void age(Path folder) throws IOException {
    Files.setLastModifiedTime(
        folder.resolve("lock"), FileTime.from(Instant.now().minus(Duration.ofHours(1))));
  }

  /** Holds a folder until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      try (PeerFolder folder = PeerFolder.create("test", 0)) {
        System.out.println("folder=" + folder.path());
        System.in.transferTo(OutputStream.nullOutputStream());
      }
    }
  }
}
