package dev.holdfast.acceptance.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.OtherUser;
import dev.holdfast.acceptance.capacity.Probe;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.cli.Main;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the commands of operators show and remove when processes work, wait and die. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class OperatorsTest {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @TempDir private Path folder;

  /** Iterates over a worker and holds everything, until it is told to end. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) {
      WorkerSource<ByteBuffer> source =
          _ -> () -> IntStream.range(0, 100).mapToObj(_ -> ByteBuffer.allocate(8192)).iterator();
      SubprocessOptions options =
          SubprocessOptions.builder()
              .jvmArgs(ChildJvm.SHORT_LIVED)
              .arena(
                  SharedMemorySegmentPool.builder(8192, 3)
                      .acquireTimeout(Duration.ofHours(1))
                      .build())
              .build();
      try (SubprocessIterable<ByteBuffer> items = Subprocess.iterate(source, options)) {
        List<AutoCloseable> held = new ArrayList<>();
        var leases = items.leases().iterator();
        for (int i = 0; i < 3; i++) {
          held.add(leases.next());
        }
        Parent.say("HOLDS " + items.pid() + " " + held.size());
        var _ = Parent.read();
      }
    }
  }

  /** Owns a named file until it is killed. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws InterruptedException {
      try (SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(8192, 3)
              .backing(Backing.file(Path.of(arguments[0])))
              .build()) {
        Parent.say("OWNS " + pool.arenaId());
        new CountDownLatch(1).await();
      }
    }
  }

  /** Kills an owner of a file in {@code /dev/shm} beside another file, and sweeps twice. */
  static final class Sweeper {
    private Sweeper() {}

    public static void main(String[] arguments) throws IOException {
      Path other = Files.writeString(SHARED_MEMORY.resolve("other"), "no arena");
      try (ChildJvm owner =
          ChildJvm.of(Owner.class).args(SHARED_MEMORY.resolve("dead").toString()).start()) {
        owner.awaitLine("OWNS ");
        owner.killAndAwait();
      }
      for (int i = 0; i < 2; i++) {
        CommandLineRun sweep = CommandLineRun.of("sweep");
        Parent.say("EXIT " + sweep.exit() + " " + sweep.out().replace("\n", "|"));
      }
      Parent.say("OTHER " + Files.readString(other));
    }
  }

  private static List<Map<String, Object>> arenasOf(long pid) {
    Map<String, Object> document =
        CommandLineRun.of("inspect", String.valueOf(pid), "--json", "-").json();
    return JsonReader.objects(document.get("arenas"));
  }

  private static boolean waits(long pid) {
    return arenasOf(pid).stream()
        .allMatch(one -> JsonReader.fields(one.get("words")).get("writerWaiting").equals(true));
  }

  @Test
  void aWaitingWorkerLeadsToWhoHoldsItsSegmentsAndToItsOwner() {
    try (ChildJvm parent = ChildJvm.of(Holder.class).start()) {
      long worker = Long.parseLong(parent.awaitLine("HOLDS ").split(" ", -1)[0]);
      Deadlines.assertEventually("the worker waits", () -> waits(worker));

      List<Map<String, Object>> arenas = arenasOf(worker);

      assertEquals(1, arenas.size(), arenas::toString);
      assertEquals(
          List.of((double) parent.pid(), (double) worker),
          JsonReader.objects(arenas.getFirst().get("mappedBy")).stream()
              .map(one -> one.get("pid"))
              .sorted()
              .toList());
      Map<String, Object> words = JsonReader.fields(arenas.getFirst().get("words"));
      assertEquals((double) parent.pid(), JsonReader.fields(words.get("owner")).get("pid"));
      assertEquals((double) worker, JsonReader.fields(words.get("writer")).get("pid"));
      assertEquals((double) parent.pid(), JsonReader.fields(words.get("reader")).get("pid"));
      Map<String, Object> held = JsonReader.objects(words.get("holders")).getFirst();
      assertEquals("confined lease", held.get("kind"));
      assertEquals(3.0, held.get("count"));
      assertTrue(JsonReader.number(held.get("oldestMillis")) > 0, held::toString);
      String text = CommandLineRun.of("inspect", String.valueOf(worker)).out();
      assertTrue(text.contains("writer     " + worker + " lives, waits for space"), text);
      parent.send("end");
      parent.awaitSuccess();
    }
  }

  // R46
  @Test
  void whatAKilledOwnerLeavesIsShownAndSweptAndWhatIsInUseStays() throws IOException {
    Path dead = folder.resolve("dead");
    Path used = folder.resolve("used");
    try (ChildJvm killed = ChildJvm.of(Owner.class).args(dead.toString()).start();
        ChildJvm owner = ChildJvm.of(Owner.class).args(used.toString()).start()) {
      killed.awaitLine("OWNS ");
      owner.awaitLine("OWNS ");
      try (SharedMemorySegmentPool attached = SharedMemorySegmentPool.attach(dead)) {
        killed.killAndAwait();
        String own = String.valueOf(ProcessHandle.current().pid());
        String text = CommandLineRun.of("inspect", own).out();
        assertTrue(text.contains(attached.arenaId().toString()), text);
        assertTrue(text.contains("owner      " + killed.pid() + " is gone"), text);
      }
      byte[] before = Files.readAllBytes(dead);
      CommandLineRun look = CommandLineRun.of("inspect", folder.toString());
      assertEquals(Main.DONE, look.exit());
      assertTrue(look.out().contains("stale: its owner is gone"), look.out());
      assertTrue(look.out().contains("in_use: its owner holds the lock"), look.out());
      assertTrue(Arrays.equals(before, Files.readAllBytes(dead)), "only read");

      CommandLineRun sweep = CommandLineRun.of("sweep", folder.toString());

      assertEquals(Main.DONE, sweep.exit(), sweep.out());
      assertTrue(sweep.out().contains("removed " + dead), sweep.out());
      assertTrue(sweep.out().contains("left    " + used), sweep.out());
      assertFalse(Files.exists(dead));
      assertTrue(Files.exists(used));
      owner.killAndAwait();
      assertEquals(
          "removed " + used + ": its owner is gone\nremoved 1, left 0, failed 0\n",
          CommandLineRun.of("sweep", folder.toString()).out());
    }
  }

  // R46
  @Test
  void withoutAFolderTheSharedMemoryOfTheMachineIsSwept() {
    String mount = "mount -t tmpfs -o size=16m,mode=1777 holdfast-test " + SHARED_MEMORY;
    Probe.assumeWorks("unshare", "--mount", "sh", "-c", mount);
    try (ChildJvm sweeper =
        ChildJvm.of(Sweeper.class)
            .prefix("unshare", "--mount", "sh", "-c", mount + " && exec \"$0\" \"$@\"")
            .start()) {
      assertEquals(
          "0 removed /dev/shm/dead: its owner is gone|removed 1, left 0, failed 0|",
          sweeper.awaitLine("EXIT "));
      assertEquals("0 removed 0, left 0, failed 0|", sweeper.awaitLine("EXIT "));
      assertEquals("no arena", sweeper.awaitLine("OTHER "));
      sweeper.awaitSuccess();
    }
  }

  // R46, R91
  @Test
  void filesOfOtherUsersAreLeftAlone() throws IOException {
    OtherUser.assumeThere();
    OtherUser.letInto(folder);
    Path left = folder.resolve("holdfast-left");
    try (ChildJvm owner = OtherUser.start(Owner.class, left.toString())) {
      owner.awaitLine("OWNS ");
      owner.killAndAwait();
    }

    CommandLineRun look = CommandLineRun.of("inspect", folder.toString());
    CommandLineRun sweep = CommandLineRun.of("sweep", folder.toString());

    String why = "belongs to user " + OtherUser.ID;
    assertTrue(look.out().contains("foreign: " + why), look.out());
    assertEquals("left    " + left + ": " + why + "\nremoved 0, left 1, failed 0\n", sweep.out());
    assertEquals(Main.DONE, sweep.exit());
    assertTrue(Files.exists(left));
    try (SharedMemorySegmentPool beside =
        SharedMemorySegmentPool.builder(100, 2)
            .backing(Backing.file(folder.resolve("beside")))
            .build()) {
      assertTrue(Files.exists(left));
      beside.unlink();
    }
  }

  @Test
  void whatCannotBeRemovedIsSaidAndIsExitCodeOne() throws IOException {
    Path left = folder.resolve("left");
    try (ChildJvm owner = ChildJvm.of(Owner.class).args(left.toString()).start()) {
      owner.awaitLine("OWNS ");
      owner.killAndAwait();
    }
    String readOnly =
        "mount --bind '%1$s' '%1$s' && mount -o remount,bind,ro '%1$s'".formatted(folder);
    Probe.assumeWorks("unshare", "--mount", "sh", "-c", readOnly);
    try (ChildJvm sweep =
        ChildJvm.of(Main.class)
            .prefix("unshare", "--mount", "sh", "-c", readOnly + " && exec \"$0\" \"$@\"")
            .args("sweep", folder.toString())
            .start()) {
      assertEquals(Main.FAILED, sweep.awaitExit(), sweep.errorOutput());
      assertTrue(sweep.output().contains("failed  " + left + ": "), sweep.output());
      assertTrue(sweep.output().contains("removed 0, left 0, failed 1"), sweep.output());
    }
    assertTrue(Files.exists(left));
    assertEquals(Main.DONE, CommandLineRun.of("sweep", folder.toString()).exit());
    assertFalse(Files.exists(left));
  }
}
