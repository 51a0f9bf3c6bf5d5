package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.memory.StaleFiles;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.MemoryGroup;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Parents of a worker, of a region and of a pipeline in a worker that are killed at every pause
 * point of theirs, and at any moment, alone or together with their workers; and the worker that a
 * pipeline is in, at points where it is a parent. Nothing is left but a named file, which the next
 * arena in its folder removes.
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class KilledParentsTest {
  private static final String FOR_EVER = String.valueOf(Long.MAX_VALUE);
  private static final String A_FEW = "20";

  /** How a JVM ends whose main method throws. */
  private static final int FAILED = 1;

  private static final String EITHER_ARENA = "pool or ring";

  /** How often each point is reached at least in the life of a parent of a few units. */
  private static final Map<String, Integer> POINTS =
      Map.ofEntries(
          Map.entry("CONSTRUCTION_STEP", 4),
          Map.entry("FILE_CREATED", 2),
          Map.entry("FILE_READY", 1),
          Map.entry("PARENT_STARTED_WORKER", 1),
          Map.entry("PARENT_WAITING", 1),
          Map.entry("PARENT_RECEIVED", 10),
          Map.entry("UNIT_ADMITTED", 10),
          Map.entry("UNIT_OPENED", 10),
          Map.entry("UNIT_RELEASED", 10),
          Map.entry("PARENT_TEARDOWN_STEP", 12),
          Map.entry("CLOSING_STEP", 5),
          Map.entry("GIVING_BACK", 1),
          Map.entry("NATIVE_CALL", 60),
          Map.entry("PARENT_REAPED_WORKER", 1),
          Map.entry("BEFORE_UNMAP", 1));

  /** The same for a parent with a region: it writes too, and has two workers. */
  private static final Map<String, Integer> POINTS_WITH_A_REGION =
      Map.ofEntries(
          Map.entry("PARENT_STARTED_WORKER", 2),
          Map.entry("UNIT_BEGUN", 10),
          Map.entry("UNIT_COPIED", 10),
          Map.entry("PARENT_RECEIVED", 10),
          Map.entry("UNIT_RELEASED", 10),
          Map.entry("PARENT_TEARDOWN_STEP", 24),
          Map.entry("CLOSING_STEP", 12),
          Map.entry("PARENT_REAPED_WORKER", 2),
          Map.entry("GIVING_BACK", 4));

  /** The same for the worker that a pipeline is in, whose end its parent hears of. */
  private static final Map<String, Integer> POINTS_OF_A_HOST =
      Map.of(
          "PARENT_STARTED_WORKER", 1,
          "UNIT_BEGUN", 10,
          "UNIT_COPIED", 10,
          "PARENT_RECEIVED", 10,
          "UNIT_RELEASED", 10);

  /**
   * What a round is about.
   *
   * @param kind what the parent runs
   * @param point where it ends, or its worker when it runs a pipeline there
   * @param reached how often that one comes to that point at least, 0 for any moment
   */
  private record Way(String kind, String point, int reached) {
    static List<Way> all() {
      return Stream.of(
              atAnyMoment(EITHER_ARENA, 3),
              atAnyMoment(StreamMain.REGION, 2),
              atAnyMoment(StreamMain.HOSTED, 3),
              at(EITHER_ARENA, POINTS),
              at(StreamMain.REGION, POINTS_WITH_A_REGION),
              at(StreamMain.HOSTED, POINTS_OF_A_HOST))
          .flatMap(ways -> ways)
          .toList();
    }

    private static Stream<Way> atAnyMoment(String kind, int count) {
      return Stream.generate(() -> new Way(kind, Peer.ANY_MOMENT, 0)).limit(count);
    }

    private static Stream<Way> at(String kind, Map<String, Integer> points) {
      return points.keySet().stream()
          .sorted()
          .map(point -> new Way(kind, point, points.get(point)));
    }

    boolean endsItself() {
      return reached > 0;
    }

    /** Returns whether not the parent ends itself but its worker, in which the pipeline is. */
    boolean endsItsHost() {
      return endsItself() && kind.equals(StreamMain.HOSTED);
    }

    @Override
    public String toString() {
      return kind + " at " + point;
    }

    String kindOfRound(RandomGenerator random) {
      if (point.equals("BEFORE_UNMAP")) {
        return "pinned";
      }
      return kind.equals(EITHER_ARENA) ? random.nextBoolean() ? "pool" : "ring" : kind;
    }
  }

  private static final List<Way> ALL = Way.all();

  /** Returns where parents are killed. */
  static Stream<String> points() {
    return ALL.stream().filter(Way::endsItself).map(Way::point);
  }

  @TempDir private Path folder;

  /** Nothing that a test would have to close: the round is over. */
  private record Done() implements AutoCloseable {
    @Override
    public void close() {
      // there is nothing
    }
  }

  // R36, R46
  @Test
  void nothingIsLeftWhereverTheyAreKilled() throws Exception {
    long seed = Seeds.next();
    int rounds = Math.max(CrashMatrix.rounds(10), ALL.size()); // none is left out
    try (Ahead<Done> lives =
        new Ahead<>(rounds, round -> live(round, CrashMatrix.random(seed, round)))) {
      CrashMatrix.run("parents", seed, rounds, (_, _) -> lives.take().close());
    }
  }

  private Done live(int round, RandomGenerator random) throws IOException {
    Way way = ALL.get(round % ALL.size());
    Path own = Files.createDirectory(folder.resolve("round" + round));
    String named = own.resolve("named").toString();
    String backing =
        way.point().equals("FILE_READY")
            ? named
            : CrashMatrix.oneOf(random, List.of("memfd", "/dev/shm", named));
    int turn = way.endsItself() ? 1 + random.nextInt(way.reached()) : 0;
    String word = "round" + round + "-" + ProcessHandle.current().pid();
    String[] ends = Peer.jvmArguments(way.point(), turn).toArray(String[]::new);
    String[] lives = Peer.jvmArguments(Peer.ANY_MOMENT, 0).toArray(String[]::new);
    try (ChildJvm parent =
        ChildJvm.of(StreamMain.class)
            .jvmArgs(way.endsItsHost() ? lives : ends)
            .jvmArgs(Marked.jvmArgument(word))
            .args(way.endsItself() ? A_FEW : FOR_EVER)
            .args(String.valueOf(StreamMain.UNIT_BYTES), backing, way.kindOfRound(random))
            .args(way.endsItsHost() ? ends : new String[0])
            .start()) {
      if (!way.endsItself()) {
        if (random.nextInt(3) > 0) {
          parent.awaitLine("STREAMS ");
        }
        Deadlines.pause(Duration.ofMillis(random.nextInt(400)));
        if (way.kind().equals(EITHER_ARENA) || random.nextBoolean()) {
          killAll(parent, word);
        } else {
          parent.kill(ChildJvm.SIGKILL);
        }
      }
      if (way.endsItsHost()) {
        assertEquals(FAILED, parent.awaitExit(), way::toString);
        String error = parent.errorOutput();
        assertTrue(error.contains("WorkerDiedException: "), () -> way + ": " + error);
        assertTrue(error.contains("signal=SIGKILL"), () -> way + ": " + error);
      } else {
        assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, parent.awaitExit(), way::toString);
      }
      awaitGone(way.toString(), word, own);
    }
    assertNothingIn(own, named);
    return new Done();
  }

  private static void killAll(ChildJvm parent, String word) {
    parent.kill(ChildJvm.SIGKILL);
    for (long pid : Marked.alive(word)) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** The files of a process that ends are closed a moment after its command line is gone. */
  private static void awaitGone(String what, String word, Path own) {
    long start = System.nanoTime();
    Deadlines.assertEventually(
        "nobody is left of a parent: " + what,
        Promise.ORPHAN_GONE.plus(Promise.SLACK),
        () ->
            Marked.alive(word).isEmpty()
                && StaleFiles.list(own).stream().noneMatch(KilledParentsTest::isHeld));
    Promise.kept("orphans of a parent: " + what, Promise.ORPHAN_GONE, start);
  }

  private static boolean isHeld(StaleFiles.Leftover file) {
    return file.outcome() == StaleFiles.Outcome.IN_USE;
  }

  /** No more than the name is there; the next arena removes it and leaves nothing itself. */
  private static void assertNothingIn(Path own, String named) throws IOException {
    List<Path> left = files(own);
    assertTrue(List.of(Path.of(named)).containsAll(left), left::toString);
    SharedMemorySegmentPool next =
        SharedMemorySegmentPool.builder(100, 2).backing(Backing.file(Path.of(named))).build();
    assertEquals(List.of(Path.of(named)), files(own));
    next.close();
    next.unlink();
    assertEquals(List.of(), files(own));
  }

  private static List<Path> files(Path where) throws IOException {
    try (Stream<Path> files = Files.list(where)) {
      return files.sorted().toList();
    }
  }

  // R93
  @Test
  void aCrashLoopDoesNotFillASmallMemory() throws IOException {
    int rounds = Rounds.of(20);
    Path own =
        Files.createDirectory(
            Path.of("/dev/shm", "holdfast-crash-of-" + ProcessHandle.current().pid()));
    try (MemoryGroup group = MemoryGroup.create(300L << 20)) {
      for (int round = 0; round < rounds; round++) {
        String word = "small" + round + "-" + ProcessHandle.current().pid();
        try (ChildJvm parent =
            ChildJvm.of(StreamMain.class)
                .prefix(group.enter())
                .jvmArgs(Peer.jvmArguments(Peer.ANY_MOMENT, 0).toArray(String[]::new))
                .jvmArgs(Marked.jvmArgument(word))
                .args(FOR_EVER, String.valueOf(16L << 20))
                .args(own.resolve("arena" + round).toString(), "pool") // 64 MiB
                .start()) {
          parent.awaitLine("STREAMS ");
          killAll(parent, word);
          assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, parent.awaitExit());
          awaitGone("crash loop", word, own);
        }
        assertEquals(List.of(own.resolve("arena" + round)), files(own));
      }
      assertNothingIn(own, own.resolve("arena" + (rounds - 1)).toString());
    } finally {
      for (Path file : files(own)) {
        Files.delete(file);
      }
      Files.delete(own);
    }
    CrashMatrix.count("crash loop in 300 MiB", rounds, rounds);
  }
}
