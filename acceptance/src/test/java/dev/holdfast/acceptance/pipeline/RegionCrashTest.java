package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFailure;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Workers that die: what is delivered, what is done again, and which inputs are to blame. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class RegionCrashTest {
  private static final Set<Integer> POISON = Set.of(3, 4, 400, 401, 402);
  private static final int HELD = 8;
  private static final int AHEAD = 4;
  private static final int DIED = 30;

  private static int number(Lease<Tensor> lease) {
    float[] payload = new float[Lines.ELEMENTS];
    lease.item().asByteBuffer().asFloatBuffer().get(payload);
    return Lines.stamp(payload);
  }

  private static ProcessRegion restarting(int workers) {
    return Lines.region(workers).onWorkerDeath(OnWorkerDeath.RESTART, 16);
  }

  @Test
  void fiveItemsThatHaltTheirWorkerAreNamedAndTheOthersComeOnceInOrderAndStayValid() {
    try (Lines.Arenas inputs = Lines.Arenas.pools(1, 8);
        Lines.Arenas outputs = Lines.Arenas.pools(1, 40);
        PipelineIterable<Tensor> pipeline =
            Pipeline.from(new Lines.Below(1000))
                .<float[]>map(Lines::payload)
                .to(restarting(1).inputsAhead(6).inputArena(inputs::get).outputArena(outputs::get))
                .<Tensor>map(
                    payload -> {
                      if (POISON.contains((int) payload[0])) {
                        Runtime.getRuntime().halt(3);
                      }
                      return Tensor.of(payload, Lines.ELEMENTS);
                    })
                .named("decoder")
                .toMain()
                .named("decoders")
                .build()) {
      List<Integer> numbers = new ArrayList<>();
      List<Lease<Tensor>> held = new ArrayList<>();
      for (Lease<Tensor> lease : pipeline.leases()) {
        numbers.add(number(lease));
        if (numbers.size() <= HELD) {
          held.add(lease);
        } else {
          lease.close();
        }
        if (numbers.size() == DIED) { // whose worker has died meanwhile
          for (int i = 0; i < HELD; i++) {
            assertEquals(numbers.get(i), number(held.get(i)));
            held.get(i).close();
          }
        }
      }
      assertEquals(
          Lines.listBelow(1000).stream().filter(item -> !POISON.contains(item)).toList(), numbers);
      List<StageFailure> failures = pipeline.stats().failures();
      assertEquals(
          new TreeSet<>(POISON),
          failures.stream()
              .map(failure -> (int) failure.index())
              .collect(Collectors.toCollection(TreeSet::new)));
      assertEquals(5, failures.size());
      assertEquals("decoders", failures.getFirst().stage());
      assertTrue(failures.getFirst().reason().contains("exit=3"), failures::toString);
      assertTrue(pipeline.stats().restarts() > 5, "each was given a second try, alone");
    }
  }

  @Test
  void workersKilledAtRandomMomentsLoseAndDoubleNothing(@TempDir Path folder) throws Exception {
    File hold = folder.resolve("hold").toFile();
    int rounds = Rounds.of(100);
    int kills = rounds < 100 ? rounds / 5 : rounds; // each costs two starts of a process
    try (Lines.Arenas inputs = Lines.Arenas.pools(2, 5);
        Lines.Arenas outputs = Lines.Arenas.pools(2, 5);
        PipelineIterable<Long> pipeline =
            Pipeline.from(new Lines.Below(200))
                .<float[]>map(Lines::payload)
                .to(
                    restarting(2)
                        .inputsAhead(AHEAD)
                        .inputArena(inputs::get)
                        .outputArena(outputs::get)
                        .initializer(
                            _ -> {
                              while (hold.exists()) {
                                Thread.sleep(5);
                              }
                            }))
                .<Object[]>map(
                    payload -> {
                      Thread.sleep(1);
                      return new Object[] {ProcessHandle.current().pid(), payload};
                    },
                    2)
                .toMain()
                .<Long>map(pair -> (Long) pair[0] * 1000 + Lines.stamp((float[]) pair[1]))
                .build()) {
      Random random = new Random(Seeds.next());
      int killed = 0;
      while (killed < kills) {
        killed +=
            killed % 3 == 2 ? killAndLeave(pipeline, random) : killTwice(pipeline, random, hold);
      }
      assertEquals(200, Lines.pass(pipeline).size());
      assertEquals(killed, pipeline.stats().restarts());
      assertEquals(0, pipeline.stats().failed());
    }
  }

  /**
   * Kills a worker in the middle of a pass, and the one that replaces it while that starts. A
   * worker starts as long as there is the folder, so that no input is in the second one.
   */
  private static int killTwice(PipelineIterable<Long> pipeline, Random random, File hold)
      throws Exception {
    Duration pause = Duration.ofMillis(30 + random.nextInt(400));
    Iterator<Long> results = pipeline.iterator();
    Busy busy = Busy.await(results, random.nextInt(100));
    assertTrue(hold.mkdir());
    Set<Long> known = workers();
    ChildJvm.signal(busy.pid(), ChildJvm.SIGKILL);
    FutureTask<Boolean> killer = Deadlines.start("killer", () -> killNewOne(known, pause, hold));
    for (int next = busy.next(); next < 200; next++) {
      assertEquals(next, results.next() % 1000);
    }
    assertFalse(results.hasNext());
    assertTrue(Deadlines.result(killer));
    return 2;
  }

  private static int killAndLeave(PipelineIterable<Long> pipeline, Random random) {
    ChildJvm.signal(Busy.await(pipeline.iterator(), random.nextInt(100)).pid(), ChildJvm.SIGKILL);
    return 1;
  }

  /**
   * A worker in the middle of a pass that has answered all that it had to do again.
   *
   * @param pid the worker
   * @param next the result that comes next
   */
  private record Busy(long pid, int next) {
    static Busy await(Iterator<Long> results, int from) {
      Map<Long, Integer> answers = new HashMap<>();
      int next = 0;
      while (true) {
        long result = results.next();
        assertEquals(next++, result % 1000);
        if (answers.merge(result / 1000, 1, Integer::sum) > AHEAD && next > from) {
          return new Busy(result / 1000, next);
        }
      }
    }
  }

  /** Kills the workers that started since; returns whether there was one. */
  private static boolean killNewOne(Set<Long> known, Duration pause, File hold) {
    try {
      Deadlines.assertEventually("the next worker starts", () -> !known.containsAll(workers()));
      Deadlines.pause(pause);
      Set<Long> started = workers();
      started.removeAll(known);
      started.forEach(pid -> ChildJvm.signal(pid, ChildJvm.SIGKILL));
      return started.size() == 1;
    } finally {
      assertTrue(hold.delete());
    }
  }

  private static Set<Long> workers() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  @Test
  void batchesOfAWorkerThatDiedAreAnsweredByTheNextOne() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(new Lines.Below(50))
            .to(restarting(1))
            .filter(
                item -> {
                  if (item == 21) {
                    Runtime.getRuntime().halt(3);
                  }
                  return item % 5 != 0;
                })
            .batch(4)
            .toMain()
            .build()) {
      List<Integer> all = new ArrayList<>();
      Lines.pass(pipeline).forEach(all::addAll);
      assertEquals(
          Lines.listBelow(50).stream().filter(item -> item % 5 != 0 && item != 21).toList(), all);
      assertEquals(21, pipeline.stats().failures().getFirst().index());
    }
  }

  @Test
  void resultsOfAnInputWhoseWorkerDiedHalfWayComeOnce(@TempDir Path folder) {
    String marker = folder.resolve("died once").toString();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(12))
            .to(restarting(1))
            .<Integer>flatMap(
                item ->
                    () ->
                        IntStream.range(-1, 3)
                            .map(
                                part -> {
                                  if (item == 7 && part == 2 && new File(marker).mkdir()) {
                                    Runtime.getRuntime().halt(3);
                                  }
                                  return part < 0 ? -1 : item * 3 + part;
                                })
                            .iterator())
            .<Integer>map(RegionCrashTest::positive)
            .toMain()
            .build()) {
      assertEquals(Lines.listBelow(36), Lines.pass(pipeline));
      assertEquals(1, pipeline.stats().restarts());
      assertEquals(12, pipeline.stats().failed(), "one of each input, also of the one done twice");
    }
  }

  private static int positive(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("number=" + number);
    }
    return number;
  }

  /** The worker that replaces one is not ready yet when the pipeline is closed. */
  @Test
  void closeEndsAWaitForAWorkerAndOneThatIsStillStarting(@TempDir Path folder) throws Exception {
    File first = folder.resolve("first").toFile();
    File second = folder.resolve("second").toFile();
    PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(10))
            .to(
                restarting(1)
                    .initializer(
                        _ -> {
                          if (!first.mkdir() && second.mkdir()) {
                            Thread.sleep(3_600_000);
                          }
                        }))
            .<Integer>map(
                item -> {
                  Runtime.getRuntime().halt(3);
                  return item;
                })
            .toMain()
            .build();
    FutureTask<Integer> waiting = Deadlines.start("waiting", pipeline.iterator()::next);
    Deadlines.assertEventually("the next worker starts", second::exists);
    Deadlines.within(
        "close",
        Duration.ofSeconds(20),
        () -> {
          pipeline.close();
          return true;
        });
    assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
    assertEquals(Set.of(), workers());
  }

  // B199
  @Test
  void initializerThatFailsInAReplacementEndsThePipeline(@TempDir Path folder) throws Exception {
    String died = folder.resolve("died once").toString();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(50))
            .to(
                restarting(1)
                    .initializer(
                        _ -> {
                          if (new File(died).exists()) {
                            throw new IllegalStateException("not again");
                          }
                        }))
            .<Integer>map(
                item -> {
                  if (item == 20 && new File(died).mkdir()) {
                    Runtime.getRuntime().halt(3);
                  }
                  return item;
                })
            .toMain()
            .build()) {
      Iterator<Integer> results = behindTheFirstTwenty(pipeline);
      WorkerFailedException failed =
          Deadlines.within(
              "the end",
              Deadlines.GENEROUS,
              () -> assertThrows(WorkerFailedException.class, results::next));
      assertEquals("not again", failed.facts().get("remoteMessage"));
      assertEquals(Set.of(), workers());
      assertThrows(WorkerFailedException.class, results::next);
      assertThrows(WorkerFailedException.class, pipeline.iterator()::next);
      assertEquals(1, pipeline.stats().restarts());
      assertEquals(0, pipeline.stats().failed());
    }
  }

  private static Iterator<Integer> behindTheFirstTwenty(PipelineIterable<Integer> pipeline) {
    Iterator<Integer> results = pipeline.iterator();
    for (int i = 0; i < 20; i++) {
      assertEquals(i, results.next());
    }
    return results;
  }

  @Test
  void failIsTheDefaultAndComesAfterEveryCompleteResult() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(50))
            .to(Lines.region(1))
            .<Integer>map(
                item -> {
                  if (item == 20) {
                    Runtime.getRuntime().halt(3);
                  }
                  return item;
                })
            .toMain()
            .build()) {
      Iterator<Integer> results = behindTheFirstTwenty(pipeline);
      WorkerDiedException died = assertThrows(WorkerDiedException.class, results::next);
      assertEquals(3, died.facts().get("exit"));
      assertThrows(WorkerDiedException.class, results::next);
      assertThrows(WorkerDiedException.class, pipeline.iterator()::next);
    }
  }

  @Test
  void workersThatDieAgainAndAgainWithoutAResultEndThePipeline() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(50))
            .to(Lines.region(1).onWorkerDeath(OnWorkerDeath.RESTART, 1))
            .<Integer>map(
                item -> {
                  Runtime.getRuntime().halt(3);
                  return item;
                })
            .toMain()
            .build()) {
      assertThrows(WorkerDiedException.class, pipeline.iterator()::next);
      assertEquals(1, pipeline.stats().restarts());
    }
  }

  @Test
  void silentWorkerFailsThePipeline() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(5))
            .to(
                ProcessRegion.workers(1)
                    .options(Lines.options().timeout(Duration.ofMillis(1200)).build()))
            .<Integer>map(
                item -> {
                  if (item == 2) {
                    Thread.sleep(3_600_000);
                  }
                  return item;
                })
            .toMain()
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      assertEquals(1, results.next());
      assertThrows(WorkerTimeoutException.class, results::next);
    }
  }
}
