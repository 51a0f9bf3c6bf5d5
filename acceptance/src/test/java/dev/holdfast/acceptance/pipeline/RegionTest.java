package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.CodecSource;
import dev.holdfast.loader.WorkerContext;
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
import java.io.InvalidObjectException;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Stages in worker processes: what crosses, in which order, and how passes end. */
@ExtendWith(Leftovers.class)
@Timeout(300)
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
            .to(Lines.region(1))
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

  // B199
  @Test
  void failedItemsNameTheirStageAndItemAndTheirSiblingsCome() {
    try (PipelineIterable<Integer> pipeline =
        picky().onFailure(FailurePolicy.dropUpTo(3)).build()) {
      List<Integer> expected =
          Lines.listBelow(60).stream().filter(item -> item % 20 != 7 && item % 2 == 1).toList();
      assertEquals(expected, Lines.pass(pipeline));
      List<StageFailure> failures = new ArrayList<>(pipeline.stats().failures());
      failures.sort(Comparator.comparingLong(StageFailure::index)); // two workers found them
      assertEquals(List.of(7L, 27L, 47L), failures.stream().map(StageFailure::index).toList());
      assertEquals("picky", failures.getFirst().stage());
      assertEquals("7", failures.getFirst().item());
      assertTrue(failures.getFirst().reason().contains("no 7"), failures::toString);

      Iterator<Integer> results = pipeline.iterator(); // a pass with one failure too many
      StageFailedException failed =
          assertThrows(
              StageFailedException.class,
              () -> {
                while (results.hasNext()) {
                  assertTrue(results.next() < 67);
                }
              });
      assertEquals("picky", failed.facts().get("stage"));
      // which of the first failures is known last depends on the workers
      assertTrue((Long) failed.facts().get("index") % 20 == 7, failed::getMessage);
      assertTrue(failed.getCause() instanceof WorkerFailedException);
    }
  }

  private static Pipeline<Integer> picky() {
    Iterator<Integer> sizes = List.of(60, 80).iterator();
    Iterable<Integer> source = () -> new Lines.Below(sizes.next()).iterator();
    return Pipeline.from(source)
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
            .<Object>map(item -> item == 3 ? new Object() : item == 8 ? deep() : item)
            .to(Lines.region(1))
            .<Object>map(item -> item.equals(5) ? new Object() : item)
            .named("inside")
            .toMain()
            .build()) {
      assertEquals(List.of(0, 1, 2, 4, 6, 7, 9), Lines.pass(pipeline));
      Map<Long, String> stages = new HashMap<>();
      pipeline.stats().failures().forEach(it -> stages.put(it.index(), it.stage()));
      assertEquals(Map.of(3L, "region-1", 5L, "inside", 8L, "region-1"), stages);
    }
  }

  /** More nested than any stack can follow. */
  private static Object deep() {
    Object[] deep = new Object[1];
    for (int i = 0; i < 300_000; i++) {
      deep = new Object[] {deep};
    }
    return deep;
  }

  @Test
  void failedInitialiserIsAnErrorOfTheBuild() {
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class,
            Pipeline.from(new Lines.Below(1))
                    .to(
                        Lines.region(1)
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
  void buildDoesNotWaitForAWorkerWhenAnotherOneCannotStart() throws Exception {
    Pipeline<Integer> pipeline =
        Pipeline.from(new Lines.Below(1))
            .to(
                Lines.region(2)
                    .initializer(
                        context -> {
                          if (context.index() == 1) {
                            throw new IllegalStateException("not here");
                          }
                          Thread.sleep(3_600_000);
                        }))
            .<Integer>map(item -> item)
            .toMain();
    WorkerFailedException failed =
        Deadlines.within(
            "build",
            Duration.ofSeconds(30),
            () -> assertThrows(WorkerFailedException.class, pipeline::build));
    assertEquals("not here", failed.facts().get("remoteMessage"));
    assertEquals(0, failed.getSuppressed().length);
  }

  @Test
  void errorInsteadOfAnExceptionEndsTheBuildToo() throws Exception {
    CodecSource refusing =
        () -> {
          throw new AssertionError("not me");
        };
    Pipeline<Integer> pipeline =
        Pipeline.from(new Lines.Below(1))
            .to(Lines.region(1).options(Lines.options().codec(refusing).build()))
            .<Integer>map(item -> item)
            .toMain();
    RuntimeException failed =
        Deadlines.within(
            "build",
            Deadlines.GENEROUS,
            () -> assertThrows(RuntimeException.class, pipeline::build));
    assertTrue(failed.getCause() instanceof AssertionError, failed::toString);
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

  // B197
  @Test
  void batchInSeveralWorkersInInputOrderLosesNothing() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(new Lines.Below(100))
            .to(Lines.region(2).inputsAhead(1))
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

  // B197, B203
  @Test
  void fourWorkersOfWhichOneStandsStillLoseNothingAndCountEachItemOncePerStage() throws Exception {
    try (PipelineIterable<Made> pipeline =
        Pipeline.from(new Lines.Below(400))
            .to(
                Lines.region(4)
                    .order(Order.COMPLETION)
                    .seed(5)
                    .initializer(_ -> Prepared.times++)
                    .initializer(context -> Prepared.times += context.index()))
            .<Integer>map(RegionTest::slow, 3)
            .named("slow")
            .filter(item -> item % 2 == 0)
            .named("same")
            .<Made>mapWith(RegionTest::made)
            .named("same")
            .toMain()
            .named("workers")
            .onFailure(FailurePolicy.fail())
            .build()) {
      Map<Integer, Made> byWorker = new HashMap<>();
      Set<Integer> numbers = new HashSet<>();
      Iterator<Made> results = pipeline.iterator();
      FutureTask<Boolean> waker = standStill(noted(results.next(), numbers, byWorker));
      while (results.hasNext()) {
        noted(results.next(), numbers, byWorker);
      }
      assertTrue(Deadlines.result(waker));
      assertEquals(200, numbers.size());
      assertEquals(Set.of(0, 1, 2, 3), byWorker.keySet());
      assertEquals(4, byWorker.values().stream().map(Made::pid).distinct().count());
      assertEquals(4, byWorker.values().stream().map(Made::seed).distinct().count());

      PipelineStats stats = pipeline.stats();
      assertEquals(200, stats.delivered());
      List<StageStats> stages = stats.stages();
      assertEquals(
          List.of("source", "workers", "slow", "same", "same"),
          stages.stream().map(StageStats::name).toList());
      assertEquals(
          List.of(400L, 400L, 400L, 400L, 200L), stages.stream().map(StageStats::items).toList());
      assertEquals(List.of(1, 4, 12, 4, 4), stages.stream().map(StageStats::concurrency).toList());
      assertTrue(stages.get(2).p99().compareTo(stages.get(2).p50()) >= 0);
      assertEquals("slow", stats.bottleneck());
    }
  }

  private static int slow(int item) throws InterruptedException {
    Thread.sleep(2);
    return item;
  }

  private static Made made(int item, WorkerContext context) {
    assertEquals(1 + context.index(), Prepared.times);
    return new Made(
        item, ProcessHandle.current().pid(), context.index(), context.count(), context.seed());
  }

  private static Made noted(Made made, Set<Integer> numbers, Map<Integer, Made> byWorker) {
    assertTrue(numbers.add(made.number()));
    assertEquals(4, made.workers());
    Made known = byWorker.putIfAbsent(made.worker(), made);
    if (known != null) {
      assertEquals(known.pid(), made.pid());
      assertEquals(known.seed(), made.seed());
    }
    return made;
  }

  private static FutureTask<Boolean> standStill(Made made) {
    ChildJvm.signal(made.pid(), ChildJvm.SIGSTOP);
    return Deadlines.start(
        "waker",
        () -> {
          Deadlines.pause(Duration.ofSeconds(3));
          ChildJvm.signal(made.pid(), ChildJvm.SIGCONT);
          return true;
        });
  }

  // B198
  @Test
  void leavingEarlyAgainAndAgainLeavesNothingOfOnePassInAnother() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(40))
            .continuous()
            .to(Lines.region(2))
            .<Integer>flatMap(
                item -> () -> IntStream.range(0, 50).map(i -> item * 50 + i).iterator())
            .<Integer>map(item -> item, 2)
            .batch(2)
            .<Integer>unbatch()
            .toMain()
            .build()) {
      for (int pass = 0; pass < 20; pass++) {
        int count = 1 + pass * 7;
        assertEquals(Lines.listBelow(count), Lines.some(pipeline, count));
      }
      assertEquals(Lines.listBelow(2_000), Lines.pass(pipeline));
      assertEquals(Lines.listBelow(2_000), Lines.pass(pipeline));
    }
  }

  // a half batch of a pass that was left is no part of the next one
  @Test
  void regionThatOnlyBatchesBeginsEachPassAnewAndDropsWhatItCannotRead() {
    try (PipelineIterable<List<Object>> pipeline =
        Pipeline.from(new Lines.Below(50))
            .<Object>map(item -> item == 41 ? new Refused() : item)
            .to(Lines.region(1).inputsAhead(7))
            .batch(5)
            .named("fives")
            .toMain()
            .build()) {
      for (int pass = 0; pass < 20; pass++) {
        assertEquals(List.of(List.of(0, 1, 2, 3, 4)), Lines.some(pipeline, 1));
      }
      List<Object> all = new ArrayList<>();
      Lines.pass(pipeline).forEach(all::addAll);
      assertEquals(
          Lines.listBelow(50).stream().filter(item -> item < 40 || item > 44).toList(), all);
      StageFailure failure = pipeline.stats().failures().getLast();
      assertEquals("fives", failure.stage());
      assertEquals(40, failure.index());
    }
  }

  /** Can be written, and not be read. */
  static final class Refused implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object readResolve() throws InvalidObjectException {
      throw new InvalidObjectException("not here");
    }
  }
}
