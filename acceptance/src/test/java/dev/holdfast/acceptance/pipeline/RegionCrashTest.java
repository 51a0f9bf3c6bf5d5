package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFailure;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Workers that die: what is delivered, what is done again, and which inputs are to blame. */
@ExtendWith(Leftovers.class)
final class RegionCrashTest {
  private static final Set<Integer> POISON = Set.of(3, 77, 78, 400, 999);
  private static final long SEED = 20_261_130L;

  private static ProcessRegion restarting(int workers) {
    return Lines.region(workers).onWorkerDeath(OnWorkerDeath.RESTART, 16);
  }

  @Test
  void fiveItemsThatHaltTheirWorkerAreNamedAndTheOthersComeOnceInOrder() {
    try (Lines.Arenas inputs = Lines.Arenas.pools(2, 8);
        Lines.Arenas outputs = Lines.Arenas.pools(2, 8);
        PipelineIterable<float[]> pipeline =
            Pipeline.from(new Lines.Below(1000))
                .<float[]>map(Lines::payload)
                .to(restarting(2).inputsAhead(4).inputArena(inputs::get).outputArena(outputs::get))
                .<float[]>map(
                    payload -> {
                      if (POISON.contains((int) payload[0])) {
                        Runtime.getRuntime().halt(3);
                      }
                      return payload;
                    })
                .named("decoder")
                .toMain()
                .named("decoders")
                .build()) {
      List<Integer> numbers = new ArrayList<>();
      for (Lease<float[]> lease : pipeline.leases()) {
        try (lease) {
          numbers.add(Lines.stamp(lease.item()));
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
      assertTrue(pipeline.stats().restarts() > 5, "each was given a second try");
    }
  }

  @Test
  void workersKilledAtRandomMomentsLoseAndDoubleNothing() {
    int rounds = Rounds.of(100) / 5;
    try (Lines.Arenas inputs = Lines.Arenas.pools(2, 5);
        Lines.Arenas outputs = Lines.Arenas.pools(2, 5);
        PipelineIterable<Long> pipeline =
            Pipeline.from(new Lines.Below(200))
                .<float[]>map(Lines::payload)
                .to(restarting(2).inputArena(inputs::get).outputArena(outputs::get))
                .<Object[]>map(
                    payload -> {
                      Thread.sleep(1);
                      return new Object[] {ProcessHandle.current().pid(), payload};
                    },
                    2)
                .toMain()
                .<Long>map(pair -> (Long) pair[0] * 1000 + Lines.stamp((float[]) pair[1]))
                .build()) {
      Random random = new Random(SEED);
      for (int round = 0; round < rounds; round++) {
        int killAt = random.nextInt(190);
        int next = 0;
        for (long result : pipeline) {
          assertEquals(next, result % 1000);
          if (next++ == killAt) {
            ChildJvm.signal(result / 1000, ChildJvm.SIGKILL);
          }
        }
        assertEquals(200, next);
      }
      assertEquals(0, pipeline.stats().failed());
    }
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
                        IntStream.range(0, 3)
                            .map(
                                part -> {
                                  if (item == 7 && part == 2 && new File(marker).mkdir()) {
                                    Runtime.getRuntime().halt(3);
                                  }
                                  return item * 3 + part;
                                })
                            .iterator())
            .toMain()
            .build()) {
      assertEquals(Lines.listBelow(36), Lines.pass(pipeline));
      assertEquals(1, pipeline.stats().restarts());
      assertEquals(0, pipeline.stats().failed());
    }
  }

  @Test
  void viewsOfADeadWorkersResultsStayValid() {
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 24);
        PipelineIterable<Tensor> pipeline =
            Pipeline.from(new Lines.Below(40))
                .to(restarting(1).inputsAhead(2).outputArena(outputs::get))
                .<Tensor>map(
                    item -> {
                      if (item == 10) {
                        Runtime.getRuntime().halt(3);
                      }
                      return Tensor.of(Lines.payload(item), Lines.ELEMENTS);
                    })
                .toMain()
                .build()) {
      Iterator<Lease<Tensor>> leases = pipeline.leases().iterator();
      List<Lease<Tensor>> held = List.of(leases.next(), leases.next(), leases.next());
      int next = 3;
      while (leases.hasNext()) {
        try (Lease<Tensor> lease = leases.next()) {
          assertEquals(next == 10 ? 11 : next, (int) lease.item().asByteBuffer().getFloat(4004));
          next = next == 10 ? 12 : next + 1;
        }
        if (next == 12) {
          for (int i = 0; i < held.size(); i++) {
            assertEquals(i, (int) held.get(i).item().asByteBuffer().getFloat(4004));
            held.get(i).close();
          }
        }
      }
      assertEquals(40, next);
    }
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
      Iterator<Integer> results = pipeline.iterator();
      for (int i = 0; i < 20; i++) {
        assertEquals(i, results.next());
      }
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
            .to(Lines.region(1).onWorkerDeath(OnWorkerDeath.RESTART, 2))
            .<Integer>map(
                item -> {
                  Runtime.getRuntime().halt(3);
                  return item;
                })
            .toMain()
            .build()) {
      assertThrows(WorkerDiedException.class, pipeline.iterator()::next);
      assertEquals(2, pipeline.stats().restarts());
    }
  }

  @Test
  void silentWorkerFailsThePipelineOrIsReplaced() {
    ProcessRegion region =
        ProcessRegion.workers(1).options(Lines.options().timeout(Duration.ofSeconds(2)).build());
    Pipeline<Integer> slow = Pipeline.from(new Lines.Below(5));
    try (PipelineIterable<Integer> pipeline = hanging(slow.to(region))) {
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      assertEquals(1, results.next());
      assertThrows(WorkerTimeoutException.class, results::next);
    }
    try (PipelineIterable<Integer> pipeline =
        hanging(slow.to(region.onWorkerDeath(OnWorkerDeath.RESTART).order(Order.COMPLETION)))) {
      assertEquals(List.of(0, 1, 3, 4), Lines.pass(pipeline).stream().sorted().toList());
      assertEquals(2, pipeline.stats().failures().getFirst().index());
    }
  }

  private static PipelineIterable<Integer> hanging(Pipeline<Integer> pipeline) {
    return pipeline
        .<Integer>map(
            item -> {
              if (item == 2) {
                Thread.sleep(3_600_000);
              }
              return item;
            })
        .toMain()
        .build();
  }
}
