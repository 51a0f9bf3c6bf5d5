package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.memory.StaleFiles;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many processes make files in one folder. R85 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class NamesTest {
  private static final int PROCESSES = 4;

  @TempDir private Path folder;

  /** Makes and closes arenas, with names that it takes from others or draws itself. */
  static final class Maker {
    private Maker() {}

    public static void main(String[] arguments) {
      int rounds = Integer.parseInt(arguments[1]);
      int refused = 0;
      for (int round = 0; round < rounds; round++) {
        Path folder = Path.of(arguments[0]);
        Backing backing =
            arguments[2].equals("same")
                ? Backing.file(folder.resolve("same-name"))
                : Backing.directory(folder);
        try (SharedMemorySegmentPool pool =
            SharedMemorySegmentPool.builder(4096, 2).backing(backing).build()) {
          pool.unlink();
        } catch (IllegalArgumentException e) {
          refused++;
          requireTaken(e);
        }
      }
      Parent.say("DONE refused=" + refused);
    }

    /** Another process has the name, before or at the very moment that this one takes it. */
    private static void requireTaken(IllegalArgumentException e) {
      String text = e + " " + e.getCause();
      if (!text.contains("same-name") || !text.matches("(?is).*exist.*")) {
        throw e;
      }
    }
  }

  private static List<ChildJvm> startAll(String folder, int rounds, String names, String faults) {
    List<ChildJvm> children = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      children.add(
          ChildJvm.of(Maker.class)
              .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", faults)
              .args(folder, String.valueOf(rounds), names)
              .start());
    }
    return children;
  }

  private int runAll(String names, int rounds, String faults) throws Exception {
    int refused = 0;
    for (ChildJvm child : startAll(folder.toString(), rounds, names, faults)) {
      try (child) {
        child.awaitSuccess(Duration.ofMinutes(5));
        refused += Integer.parseInt(child.output().replaceAll("(?s).*refused=(\\d+).*", "$1"));
      }
    }
    try (var files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
    assertTrue(refused < PROCESSES * rounds, "no process ever got the name");
    return refused;
  }

  @Test
  void processesThatDrawNamesInOneFolderNeverMeet() throws Exception {
    assertEquals(0, runAll("own", Rounds.of(100_000), "-Dholdfast.faults=NO_TMPFILE=fire@*"));
  }

  /** Where files have no names there is nothing to collide. */
  @Test
  void processesThatMakeFilesWithoutNamesInOneFolderNeverMeet() throws Exception {
    assertEquals(0, runAll("own", Rounds.of(3_000), "-Dnothing"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Dnothing", "-Dholdfast.faults=NO_TMPFILE=fire@*"})
  void ofProcessesThatWantOneNameOneHasItAndTheOthersAreTold(String faults) throws Exception {
    assertTrue(runAll("same", Rounds.of(3_000), faults) >= 0);
  }

  @Test
  void aNameThatSomebodyElseHasIsLeftToHimAndAnotherOneDrawn() throws Exception {
    String taken = "-Dholdfast.faults=NO_TMPFILE=fire@*,NAME_TAKEN=fire@1";
    try (ChildJvm child =
        ChildJvm.of(Maker.class)
            .jvmArgs("-Xmx32m", taken)
            .args(folder.toString(), "1", "own")
            .start()) {
      child.awaitSuccess();
      assertTrue(child.output().contains("DONE refused=0"), child::output);
    }
    try (var files = Files.list(folder)) {
      List<Path> others = files.toList();
      assertEquals(1, others.size(), others::toString);
      assertEquals(0, Files.size(others.getFirst()));
    }
  }

  /** Who looks for leftovers finds a draft locked from its first moment on. */
  @Test
  void draftOfAProcessThatLivesIsNotTakenForStale() throws Exception {
    PausePoints points =
        PausePoints.in(folder).act("NO_TMPFILE", "fire", 1).pause("FILE_CREATED", 1);
    Path named = Files.createDirectory(folder.resolve("arenas")).resolve("named");
    try (ChildJvm child =
        ChildJvm.of(Prober.class).jvmArgs("-Xmx64m", points.jvmArgument()).start()) {
      child.awaitLine("READY");
      child.send("pool 4096 2 file:" + named);
      assertEquals(child.pid(), points.awaitReached("FILE_CREATED"));

      List<StaleFiles.Leftover> found = StaleFiles.removeStale(named.getParent());

      assertEquals(1, found.size(), found::toString);
      assertEquals(StaleFiles.Outcome.IN_USE, found.getFirst().outcome(), found::toString);
      assertTrue(Files.exists(found.getFirst().file()), found::toString);
      points.release("FILE_CREATED");
      assertTrue(child.awaitLine(Prober.ANSWER).startsWith("OK made"));
      assertTrue(Files.exists(named));
      child.send("exit");
      child.awaitSuccess();
    }
    assertFalse(Files.exists(named));
  }

  /** Two processes that both believe to be pid 1 share a folder. */
  @Test
  void filesOfAProcessWithTheSamePidAreNotTakenForStale() throws Exception {
    Probe.assumeWorks("unshare", "--pid", "--fork", "--mount-proc", "true");
    String[] namespace = {"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"};
    try (Probe first = Probe.behind(namespace);
        Probe second = Probe.behind(namespace)) {
      first.ok("pool 4096 2 file:" + folder.resolve("first"));
      second.ok("pool 4096 2 file:" + folder.resolve("second"));
      first.ok("pool 4096 2 " + folder);
      second.ok("pool 4096 2 " + folder);
      String listed = first.ok("list 0 0 " + folder);
      assertTrue(listed.startsWith("[first, second]"), listed);
      second.failed(IllegalArgumentException.class, "pool 4096 2 file:" + folder.resolve("first"));
      assertEquals(3, Probe.number(first.ok("stream 4096 3 " + folder), "units"));
      first.ok("close");
      second.ok("pool 4096 2 file:" + folder.resolve("first"));
      second.ok("close");
    }
    try (var files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
