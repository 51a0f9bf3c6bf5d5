package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.PipelineStats;
import dev.holdfast.loader.pipeline.StageFailedException;
import dev.holdfast.loader.pipeline.StageFailure;
import dev.holdfast.loader.pipeline.StageStats;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Stages in worker processes: what crosses, in which order, and how passes end. */
@ExtendWith(Leftovers.class)
final class RegionTest {

  /** A number and where it was made. */
  record Made(int number, long pid, int worker, int workers, long seed) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private static final class Prepared {
    private static int times;
  }

  // B193, B195
  @Test
  void oneWorkerBatchesWhatItReceivedAndItsStagesNeedNotCross() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(new Lines.Below(10))
            .to(Lines.region(1))
            .<Object>map(item -> new Object[] {new Thread(), item + 1})
            .<Integer>map(item -> (Integer) ((Object[]) item)[1])
            .batch(3)
            .toMain()
            .build()) {
      List<List<Integer>> expected =
          List.of(List.of(1, 2, 3), List.of(4, 5, 6), List.of(7, 8, 9), List.of(10));
      assertEquals(expected, Lines.pass(pipeline));
      assertEquals(expected, Lines.pass(pipeline));
    }
  }

  // B192, B197, B198
  @Test
  void passesOfAnyLengthKeepTheOrderOverAllWorkers() {
    int[] counts = {100, 3, 0, 1, 57};
    Iterator<Integer> sizes = Arrays.stream(counts).iterator();
    Iterable<Integer> source = () -> new Lines.Below(sizes.next()).iterator();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source)
            .to(Lines.region(2))
            .<Integer>map(item -> item * 2)
            .to(Lines.region(2))
            .<Integer>map(item -> item + 1, 2)
            .toMain()
            .build()) {
      for (int count : counts) {
        assertEquals(
            Lines.listBelow(count).stream().map(item -> item * 2 + 1).toList(),
            Lines.pass(pipeline));
      }
    }
  }

  @Test
  void workersKnowThemselvesAndAreInitialisedOnce() {
    try (PipelineIterable<Made> pipeline =
        Pipeline.from(new Lines.Below(60))
            .to(
                Lines.region(2)
                    .order(Order.COMPLETION)
                    .seed(5)
                    .initializer(_ -> Prepared.times++)
                    .initializer(context -> Prepared.times += context.index()))
            .<Made>mapWith(
                (item, context) -> {
                  Thread.sleep(1);
                  assertEquals(1 + context.index(), Prepared.times);
                  return new Made(
                      item,
                      ProcessHandle.current().pid(),
                      context.index(),
                      context.count(),
                      context.seed());
                })
            .toMain()
            .onFailure(FailurePolicy.fail())
            .build()) {
      Set<Integer> numbers = new HashSet<>();
      Map<Integer, Made> workers = new HashMap<>();
      for (Made made : pipeline) {
        assertTrue(numbers.add(made.number()));
        Made known = workers.putIfAbsent(made.worker(), made);
        assertEquals(2, made.workers());
        if (known != null) {
          assertEquals(known.pid(), made.pid());
          assertEquals(known.seed(), made.seed());
        }
      }
      assertEquals(60, numbers.size());
      assertEquals(Set.of(0, 1), workers.keySet());
      assertTrue(workers.get(0).pid() != workers.get(1).pid());
      assertTrue(workers.get(0).seed() != workers.get(1).seed());
    }
  }

  // B199
  @Test
  void failedItemsNameTheirStageAndItemAndTheirSiblingsCome() {
    try (PipelineIterable<Integer> pipeline = picky().build()) {
      List<Integer> expected =
          Lines.listBelow(60).stream().filter(item -> item % 20 != 7 && item % 2 == 1).toList();
      assertEquals(expected, Lines.pass(pipeline));
      List<StageFailure> failures = new ArrayList<>(pipeline.stats().failures());
      failures.sort(Comparator.comparingLong(StageFailure::index)); // two workers found them
      assertEquals(List.of(7L, 27L, 47L), failures.stream().map(StageFailure::index).toList());
      assertEquals("picky", failures.getFirst().stage());
      assertEquals("7", failures.getFirst().item());
      assertTrue(failures.getFirst().reason().contains("no 7"), failures::toString);
    }
    try (PipelineIterable<Integer> pipeline =
        picky().onFailure(FailurePolicy.dropUpTo(1)).build()) {
      Iterator<Integer> results = pipeline.iterator();
      StageFailedException failed =
          assertThrows(
              StageFailedException.class,
              () -> {
                while (results.hasNext()) {
                  assertTrue(results.next() < 27);
                }
              });
      assertEquals("picky", failed.facts().get("stage"));
      // which of the first failures is known last depends on the workers
      assertTrue((Long) failed.facts().get("index") % 20 == 7, failed::getMessage);
      assertTrue(failed.getCause() instanceof WorkerFailedException);
    }
  }

  private static Pipeline<Integer> picky() {
    return Pipeline.from(new Lines.Below(60))
        .to(Lines.region(2))
        .<Integer>map(
            item -> {
              if (item % 20 == 7) {
                throw new IllegalStateException("no " + item);
              }
              return item;
            })
        .named("picky")
        .filter(item -> item % 2 == 1)
        .toMain();
  }

  @Test
  void whatCannotCrossIsAFailureOfItsItemEitherWay() {
    try (PipelineIterable<Object> pipeline =
        Pipeline.from(new Lines.Below(10))
            .<Object>map(item -> item == 3 ? new Object() : item)
            .to(Lines.region(1))
            .<Object>map(item -> item.equals(5) ? new Object() : item)
            .named("inside")
            .toMain()
            .build()) {
      assertEquals(List.of(0, 1, 2, 4, 6, 7, 8, 9), Lines.pass(pipeline));
      List<StageFailure> failures = pipeline.stats().failures();
      assertEquals(Set.of(3L, 5L), Set.of(failures.get(0).index(), failures.get(1).index()));
      assertEquals(
          Set.of("region-1", "inside"), Set.of(failures.get(0).stage(), failures.get(1).stage()));
    }
  }

  @Test
  void failedInitialiserIsAnErrorOfTheBuild() {
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class,
            Pipeline.from(new Lines.Below(1))
                    .to(
                        Lines.region(2)
                            .initializer(
                                _ -> {
                                  throw new IllegalStateException("not today");
                                }))
                    .<Integer>map(item -> item)
                    .toMain()
                ::build);
    assertEquals("not today", failed.facts().get("remoteMessage"));
  }

  @Test
  void stageThatCannotCrossIsRefusedBeforeAProcessStarts() {
    Object local = new Object();
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            Pipeline.from(new Lines.Below(1))
                    .to(Lines.region(1))
                    .<Integer>map(item -> item + local.hashCode())
                    .toMain()
                ::build);
    assertTrue(refused.getCause() instanceof NotSerializableException);
    assertTrue(refused.getMessage().contains("steps"), refused::getMessage);
  }

  // B203
  @Test
  void eachItemIsCountedOncePerStageInsideTheWorkers() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(500))
            .to(Lines.region(2))
            .<Integer>map(item -> item, 3)
            .named("first")
            .filter(item -> item % 2 == 0)
            .named("second")
            .toMain()
            .named("workers")
            .build()) {
      assertEquals(250, Lines.pass(pipeline).size());
      PipelineStats stats = pipeline.stats();
      assertEquals(250, stats.delivered());
      Map<String, StageStats> byName = new HashMap<>();
      stats.stages().forEach(stage -> byName.put(stage.name(), stage));
      assertEquals(500, byName.get("source").items());
      assertEquals(500, byName.get("workers").items());
      assertEquals(2, byName.get("workers").concurrency());
      assertEquals(500, byName.get("first").items());
      assertEquals(6, byName.get("first").concurrency());
      assertEquals(500, byName.get("second").items());
      assertTrue(byName.get("second").p99().compareTo(byName.get("second").p50()) >= 0);
    }
  }

  @Test
  void manyResultsOfOneInputKeepTheOrderAndAreNotCollected() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(6))
            .to(Lines.region(2))
            .<Integer>flatMap(
                item -> () -> IntStream.range(0, 200).map(i -> item * 1000 + i).iterator())
            .toMain()
            .build()) {
      List<Integer> results = Lines.pass(pipeline);
      assertEquals(1200, results.size());
      assertEquals(results.stream().sorted().toList(), results);
    }
  }

  // B197
  @Test
  void batchInSeveralWorkersInInputOrderLosesNothing() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(new Lines.Below(100))
            .to(Lines.region(3).inputsAhead(1))
            .<Integer>map(
                item -> {
                  Thread.sleep(item % 3);
                  return item;
                })
            .batch(8)
            .toMain()
            .build()) {
      for (int pass = 0; pass < 2; pass++) {
        List<Integer> all = Lines.pass(pipeline).stream().flatMap(List::stream).sorted().toList();
        assertEquals(Lines.listBelow(100), all);
      }
    }
  }

  // B197
  @Test
  void workerThatIsStoppedForAWhileLosesNothing() {
    try (PipelineIterable<Long> pipeline =
        Pipeline.from(new Lines.Below(400))
            .to(Lines.region(4).order(Order.COMPLETION))
            .<Long>map(item -> item == 0 ? -ProcessHandle.current().pid() : (long) item)
            .toMain()
            .build()) {
      Iterator<Long> results = pipeline.iterator();
      Set<Long> all = new HashSet<>();
      long pid = 0;
      while (pid == 0) {
        long result = results.next();
        if (result < 0) {
          pid = -result;
        } else {
          all.add(result);
        }
      }
      ChildJvm.signal(pid, ChildJvm.SIGSTOP);
      long stopped = pid;
      FutureTask<Boolean> waker =
          Deadlines.start(
              "waker",
              () -> {
                Deadlines.pause(Duration.ofSeconds(3));
                ChildJvm.signal(stopped, ChildJvm.SIGCONT);
                return true;
              });
      while (results.hasNext()) {
        assertTrue(all.add(results.next()));
      }
      assertEquals(399, all.size());
      assertTrue(waker.isDone()); // what it had was waited for
    }
  }

  @Test
  void leavingEarlyAgainAndAgainLeavesNothingOfOneInAnother() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(10_000))
            .to(Lines.region(2))
            .<Integer>map(item -> item, 2)
            .batch(2)
            .<Integer>unbatch()
            .toMain()
            .build()) {
      for (int pass = 0; pass < 20; pass++) {
        int count = 1 + pass * 7;
        assertEquals(count, Set.copyOf(Lines.some(pipeline, count)).size());
      }
    }
  }

  // B198
  @Test
  void continuousSourceKeepsTheWorkersWarm() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(3))
            .continuous()
            .to(Lines.region(2))
            .<Integer>map(item -> item)
            .toMain()
            .build()) {
      for (int pass = 0; pass < 30; pass++) {
        assertEquals(Lines.listBelow(3), Lines.pass(pipeline));
        assertEquals(List.of(0), Lines.some(pipeline, 1));
      }
    }
  }
}
