package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.acceptance.fire.Ahead;
import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.acceptance.worker.Taking.Kept;
import dev.holdfast.arena.Backing;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.function.IntSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers that are killed at every pause point and at random moments, with each kind of arena and
 * without one, while their items are taken plainly, as leases and as parcels. R33
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
public final class KilledWorkersTest {
  private static final int MANY = 1000;
  private static final int SEGMENTS = 6;
  private static final int KEPT = 2;

  @TempDir private Path folder;

  /**
   * What a round is about.
   *
   * @param state in which the worker is killed, null for any moment
   */
  private record Way(Transport transport, @Nullable WorkerState state) {
    static List<Way> all() {
      return Stream.of(Transport.values())
          .flatMap(
              transport ->
                  Stream.concat(
                      WorkerState.with(transport).stream().map(state -> new Way(transport, state)),
                      Stream.of(new Way(transport, null), new Way(transport, null))))
          .toList();
    }

    /** A plain item may be a copy, and then nobody waits for space. */
    Taking taking(Taking drawn) {
      return state == WorkerState.WAITING_FOR_SPACE && drawn == Taking.ITEMS
          ? Taking.CONFINED
          : drawn;
    }
  }

  /** Returns where workers are killed. */
  public static Stream<String> points() {
    return Stream.of(Transport.values())
        .flatMap(transport -> WorkerState.with(transport).stream())
        .map(WorkerState::point);
  }

  private record Killed(long pid, long at) {}

  /** A worker that runs, or was killed before it was ready, and who kills it in its state. */
  private record Life(
      Way way,
      @Nullable SubprocessIterable<Map<String, Object>> items,
      @Nullable FutureTask<Killed> killer,
      @Nullable Death death)
      implements AutoCloseable {
    @Override
    public void close() {
      if (items != null) {
        items.close();
      }
    }
  }

  /** How a consumer hears of it, and when. */
  private record Death(WorkerDiedException died, long at, int items) {}

  private Life start(Way way, int round) throws IOException {
    WorkerState state = way.state();
    if (state == null) {
      SubprocessOptions options =
          way.transport().addTo(Workers.options(), SEGMENTS, Backing.memfd()).build();
      return new Life(way, Subprocess.iterate(Workers.stamped(MANY), options), null, null);
    }
    Path signs = Files.createDirectory(folder.resolve("round" + round));
    PausePoints points = PausePoints.in(signs);
    FutureTask<Killed> killer =
        Deadlines.start(
            "killer",
            () -> {
              long pid = points.awaitReached(state.point());
              return new Killed(pid, Pids.kill(pid));
            });
    SubprocessOptions options = state.options(signs, way.transport(), Backing.memfd());
    try {
      return new Life(way, Subprocess.iterate(state.source(signs), options), killer, null);
    } catch (WorkerDiedException e) {
      return new Life(way, null, killer, new Death(e, System.nanoTime(), 0));
    }
  }

  @Test
  void allThatTheyCompletedComesAndThenTheirDeathWhereverTheyAreKilled() throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(34);
    List<Way> ways = Way.all();
    try (Ahead<Life> lives =
        new Ahead<>(rounds, round -> start(ways.get(round % ways.size()), round))) {
      CrashMatrix.run(
          "workers",
          seed,
          rounds,
          (random, _) -> {
            try (Life life = lives.take()) {
              Taking drawn = CrashMatrix.oneOf(random, List.of(Taking.values()));
              verify(life, life.way().taking(drawn), random);
            }
          });
    }
  }

  private static void verify(Life life, Taking taking, RandomGenerator random) throws Exception {
    try {
      if (life.items() == null) {
        verifyDeath(life, Deadlines.result(life.killer()), life.death());
      } else {
        verifyReady(life, life.items(), taking, random);
      }
    } catch (Exception | AssertionError e) {
      throw new AssertionError(life.way() + " " + taking, e);
    }
  }

  private static void verifyReady(
      Life life,
      SubprocessIterable<Map<String, Object>> items,
      Taking taking,
      RandomGenerator random)
      throws Exception {
    WorkerState state = life.way().state();
    List<Kept> kept = new ArrayList<>();
    Killed[] killed = new Killed[1];
    Iterable<Kept> passes = taking.of(items);
    Death death =
        state == null
            ? killAnywhere(items, passes, kept, killed, random)
            : untilDeath(() -> state.consume(passes, kept::add), kept::size);
    verifyDeath(life, state == null ? killed[0] : Deadlines.result(life.killer()), death);
    assertEquals(items.pid(), death.died().facts().get("pid"));
    for (int i = 0; i < 3; i++) {
      assertSame(death.died(), assertThrows(WorkerDiedException.class, items.iterator()::next));
    }
    verifyAll(kept, death.items());
    Workers.close(items);
    verifyAll(kept, death.items());
    kept.forEach(Kept::close);
    if (taking != Taking.ITEMS) {
      items.arena().ifPresent(arena -> assertUnmapped(arena.arenaId().toString()));
    }
  }

  /** Takes some, kills the worker without a look at what it does, and takes the rest. */
  private static Death killAnywhere(
      SubprocessIterable<?> items,
      Iterable<Kept> passes,
      List<Kept> kept,
      Killed[] killed,
      RandomGenerator random) {
    int wanted = random.nextInt(30);
    int[] taken = {0};
    return untilDeath(
        () -> {
          Iterator<Kept> pass = passes.iterator();
          while (true) {
            if (taken[0] == wanted) {
              killed[0] = new Killed(items.pid(), Pids.kill(items.pid()));
            }
            Kept one = pass.next();
            kept.add(one);
            one.verify(taken[0]++);
            if (kept.size() > KEPT) {
              kept.removeFirst().close();
            }
          }
        },
        () -> taken[0]);
  }

  private static Death untilDeath(Runnable consumer, IntSupplier taken) {
    WorkerDiedException died = null;
    try {
      consumer.run();
    } catch (WorkerDiedException e) {
      died = e;
    }
    long now = System.nanoTime();
    assertNotNull(died, "the pass ended as if all had come");
    return new Death(died, now, taken.getAsInt());
  }

  private static void verifyDeath(Life life, Killed killed, Death death) {
    WorkerState state = life.way().state();
    Promise.took(
        "death when " + life.way(),
        Promise.DEATH_REPORTED,
        Duration.ofNanos(death.at() - killed.at()));
    assertEquals(killed.pid(), death.died().facts().get("pid"));
    assertEquals("SIGKILL", death.died().facts().get("signal"));
    assertEquals(137, death.died().facts().get("exit"));
    assertFalse(Pids.isAlive(killed.pid()));
    if (state != null) {
      assertEquals(state.beforeReady(), life.items() == null);
      assertEquals(state.delivered(), death.items());
    }
  }

  private static void verifyAll(List<Kept> kept, int taken) {
    for (int i = 0; i < kept.size(); i++) {
      kept.get(i).verify(taken - kept.size() + i);
    }
  }

  private static void assertUnmapped(String arenaId) {
    Deadlines.assertEventually(
        "the arena is unmapped",
        () -> Maps.ofArenas().stream().noneMatch(mapping -> mapping.path().contains(arenaId)));
  }
}
