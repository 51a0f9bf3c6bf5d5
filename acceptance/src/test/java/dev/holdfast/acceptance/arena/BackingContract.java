package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every backing promises. A subclass makes fresh ones in {@link #folder}, where each test
 * finds an empty folder.
 *
 * <p>Behaviours of memory and names that have no test here, and why:
 *
 * <table>
 * <caption>not here</caption>
 * <tr><th>behaviour</th><th>reason</th></tr>
 * <tr><td>B10</td><td>sizes are the arena's: {@code ArenaContract}, {@code LimitsTest}</td></tr>
 * <tr><td>B12, B13</td><td>the layout is our own: {@code LayoutDocumentTest}</td></tr>
 * <tr><td>B14</td><td>counters are read by {@code stats()}: {@code ArenaContract}</td></tr>
 * <tr><td>B17</td><td>waits own nothing that has to be handed to a process</td></tr>
 * <tr><td>B18</td><td>advice, in the page on tuning</td></tr>
 * <tr><td>B114</td><td>of rings alone: {@code RingIterationTest}</td></tr>
 * <tr><td>B115, B117</td><td>who owns an arena is the loader's: {@code CustomArenaTest},
 * {@code RegionArenaTest}</td></tr>
 * <tr><td>B118, B119</td><td>of closes that cannot end: {@code TeardownTest},
 * {@code QuarantineTest}</td></tr>
 * </table>
 */
@ExtendWith(Leftovers.class)
abstract class BackingContract {
  @TempDir Path folder;

  @TempDir Path signs;

  /** A backing that {@link BackingChild} can make from its kind and a path. */
  abstract Backing backing();

  /** The first argument of {@link BackingChild}. */
  abstract String kind();

  /** The second argument of {@link BackingChild}. */
  abstract Path path();

  /** How many names there are in {@link #folder} while an arena lives. */
  abstract int names();

  Rig rig(Backing backing) {
    return new Rig(
        SharedMemorySegmentPool.builder(8192, 3)
            .backing(backing)
            .acquireTimeout(Duration.ofSeconds(60))
            .build());
  }

  List<Path> files() throws IOException {
    try (Stream<Path> listed = Files.list(folder)) {
      return listed.toList();
    }
  }

  ChildJvm.Builder child(String... more) {
    return ChildJvm.of(BackingChild.class).args(kind(), path().toString()).args(more);
  }

  /** A child in a mount namespace of its own, where a small tmpfs lies at {@link #folder}. */
  ChildJvm.Builder childOnSmallMount(String options, String... more) {
    Assumptions.assumeTrue(
        mountsAllowed(), "skipped: this machine refuses a mount namespace with a tmpfs in it");
    String mount = "mount -t tmpfs -o " + options + " tmpfs '" + folder + "' && exec \"$@\"";
    return child(more).prefix("unshare", "--mount", "sh", "-c", mount, "sh");
  }

  private boolean mountsAllowed() {
    try {
      Process trial =
          new ProcessBuilder(
                  "unshare", "--mount", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return trial.waitFor(60, TimeUnit.SECONDS) && trial.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  // B11
  @Test
  void unitsPassThroughManyTimes() {
    try (Rig rig = rig(backing())) {
      rig.passThrough(20, 8192);
      rig.passThrough(20, 77);
    }
  }

  // B11
  @Test
  void modeIs0600FromCreationOnWhateverTheUmask() throws IOException {
    PausePoints points = PausePoints.in(signs).pause("FILE_CREATED", 1);
    try (ChildJvm child =
        child("once")
            .prefix("sh", "-c", "umask 000; exec \"$@\"", "sh")
            .jvmArgs(points.jvmArgument())
            .start()) {
      long pid = points.awaitReached("FILE_CREATED");
      assertEquals(child.pid(), pid);
      assertEquals(List.of("rw-------"), modesOfSharedFiles(pid));
      points.release("FILE_CREATED");
      child.awaitLine("MADE");
      assertEquals(List.of("rw-------"), modesOfSharedFiles(pid));
      child.send("end");
      child.awaitSuccess();
    }
  }

  private List<String> modesOfSharedFiles(long pid) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return descriptors.filter(this::isShared).map(BackingContract::mode).toList();
    }
  }

  private boolean isShared(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return target.startsWith("/memfd:holdfast") || target.startsWith(folder.toString());
    } catch (IOException e) {
      return false; // it was closed meanwhile
    }
  }

  private static String mode(Path descriptor) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(descriptor));
    } catch (IOException e) {
      return String.valueOf(e);
    }
  }

  // B110, B111, B112, B113
  @Test
  void noNameIsLeftAfterUnlinkAndTheViewsLive() throws IOException {
    Opened held;
    try (Rig rig = rig(backing())) {
      assertEquals(names(), files().size());
      held = rig.admitAndOpen(rig.write(8192), ViewScope.CONFINED);
      rig.arena.unlink();
      assertEquals(List.of(), files());
      rig.passThrough(2, 8192);
    }
    held.verify().close();
  }

  // B15, B16
  @Test
  void anotherProcessAttachesByTheDescription() {
    try (Rig rig = rig(backing());
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      for (int i = 0; i < 4; i++) {
        for (Sent sent : remote.write(3, 8192)) {
          rig.admitAndOpen(sent, ViewScope.CONFINED).close();
        }
      }
      assertEquals("1", remote.call("mappings"));
      remote.call("close-writer");
      remote.call("close");
      assertEquals("0", remote.call("mappings"));
      remote.exit();
      rig.passThrough(4, 8192);
      assertEquals(12 + 4, rig.reclaimed());
    }
  }

  // B16
  @Test
  void killedOwnerLeavesNothingButWhatItsNextArenaRemoves() throws IOException {
    try (ChildJvm child = child("once").start()) {
      child.awaitLine("MADE");
      assertEquals(names(), files().size());
      child.killAndAwait();
      assertEquals(names(), files().size());
    }
    try (Rig rig = rig(backing())) {
      rig.passThrough(4, 8192);
      assertEquals(names(), files().size());
    }
    assertEquals(List.of(), files());
  }

  @Test
  void failureAtAnyStepOfConstructionLeavesNothingBehind() throws IOException {
    int steps = 0;
    String said = "FAILED";
    while (said.startsWith("FAILED")) {
      steps++;
      try (ChildJvm child =
          child("once")
              .jvmArgs(PausePoints.in(signs).act("CONSTRUCTION_STEP", "throw", steps).jvmArgument())
              .start()) {
        said = child.awaitLine("");
        assertEquals(said.startsWith("FAILED") ? 0 : names(), files().size(), said);
        child.send("end");
        child.awaitSuccess();
      }
    }
    assertNotEquals(1, steps, "no step failed");
    assertEquals(List.of(), files());
  }

  /** Asks for much more than there is, several times, and then for what fits. */
  void assertLackOfSpaceIsAnError(ChildJvm.Builder builder) {
    try (ChildJvm child = builder.start()) {
      for (int i = 0; i < 3; i++) {
        String said = child.awaitLine("REFUSED");
        assertTrue(said.startsWith("InsufficientSharedMemoryException"), said);
        assertFalse(said.contains("hs_err"), said);
      }
      child.awaitLine("MADE");
      child.send("end");
      child.awaitSuccess();
    }
  }
}
