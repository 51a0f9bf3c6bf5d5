package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
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
 * Parents that are killed at every pause point of theirs, and together with their workers at any
 * moment. Nothing is left but a named file, which the next arena in its folder removes.
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class KilledParentsTest {
  private static final String FOR_EVER = String.valueOf(Long.MAX_VALUE);
  private static final String A_FEW = "20";

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
          Map.entry("BEFORE_UNMAP", 1));

  private static final List<String> ALL =
      Stream.concat(
              POINTS.keySet().stream().sorted(),
              Stream.of(Peer.ANY_MOMENT, Peer.ANY_MOMENT, Peer.ANY_MOMENT, Peer.ANY_MOMENT))
          .toList();

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
    int rounds = CrashMatrix.rounds(10);
    try (Ahead<Done> lives =
        new Ahead<>(rounds, round -> live(round, CrashMatrix.random(seed, round)))) {
      CrashMatrix.run("parents", seed, rounds, (_, _) -> lives.take().close());
    }
  }

  private Done live(int round, RandomGenerator random) throws IOException {
    String point = ALL.get(round % ALL.size());
    Path own = Files.createDirectory(folder.resolve("round" + round));
    String named = own.resolve("named").toString();
    String backing =
        point.equals("FILE_READY")
            ? named
            : CrashMatrix.oneOf(random, List.of("memfd", "/dev/shm", named));
    String kind = random.nextBoolean() ? "pool" : "ring";
    boolean endsItself = POINTS.containsKey(point);
    int turn = endsItself ? 1 + random.nextInt(POINTS.get(point)) : 0;
    String word = "round" + round + "-" + ProcessHandle.current().pid();
    try (ChildJvm parent =
        ChildJvm.of(StreamMain.class)
            .jvmArgs(Peer.jvmArguments(point, turn).toArray(String[]::new))
            .jvmArgs(Marked.jvmArgument(word))
            .args(endsItself ? A_FEW : FOR_EVER)
            .args(String.valueOf(StreamMain.UNIT_BYTES), backing)
            .args(point.equals("BEFORE_UNMAP") ? "pinned" : kind)
            .start()) {
      if (!endsItself) {
        if (random.nextInt(3) > 0) {
          parent.awaitLine("STREAMS ");
        }
        Deadlines.pause(Duration.ofMillis(random.nextInt(400)));
        killAll(parent, word);
      }
      assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, parent.awaitExit(), point);
      awaitGone(point, word);
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

  private static void awaitGone(String point, String word) {
    long start = System.nanoTime();
    Deadlines.assertEventually(
        "nobody is left of a parent at " + point,
        Promise.ORPHAN_GONE.plus(Promise.SLACK),
        () -> Marked.alive(word).isEmpty());
    Promise.kept("orphans of a parent at " + point, Promise.ORPHAN_GONE, start);
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
          awaitGone("any moment of a crash loop", word);
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
