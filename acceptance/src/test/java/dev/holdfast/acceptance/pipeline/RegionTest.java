package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.loader.CodecSource;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.PipelineStats;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFailedException;
import dev.holdfast.loader.pipeline.StageFailure;
import dev.holdfast.loader.pipeline.StageStats;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.File;
import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.nio.file.Path;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Stages in worker processes: what crosses, in which order, and how passes end. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class RegionTest {

  /** A number and where it was made. */
  record Made(int number, long pid, int worker, int workers, long seed) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path folder;

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
            .buffer(9)
            .<Integer>map(RegionTest::slow, 3)
            .named("slow")
            .buffer(5)
            .filter(RegionTest::evenOnAVirtualThread)
            .onVirtualThreads()
            .named("same")
            .<Made>mapWith(RegionTest::made)
            .named("same")
            .buffer(2)
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
      assertEquals(9, stages.get(2).queueCapacity());
      assertEquals(5, stages.get(3).queueCapacity());
      assertTrue(stages.get(2).p99().compareTo(stages.get(2).p50()) >= 0);
      assertEquals("slow", stats.bottleneck());
    }
  }

  private static int slow(int item) throws InterruptedException {
    Thread.sleep(2);
    return item;
  }

  private static boolean evenOnAVirtualThread(int item) {
    assertTrue(Thread.currentThread().isVirtual());
    return item % 2 == 0;
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

  /** Counts what it makes; the last size comes again and again. */
  private record Sizes(AtomicInteger passes, List<Integer> sizes) implements Iterable<Integer> {
    @Override
    public Iterator<Integer> iterator() {
      return new Lines.Below(sizeOf(passes.getAndIncrement())).iterator();
    }

    int sizeOf(int pass) {
      return sizes.get(Math.min(pass, sizes.size() - 1));
    }
  }

  // B198
  @Test
  void continuousPassesOfAnyLengthEndAndTheNextOneBeginsUnasked() {
    Sizes sizes = new Sizes(new AtomicInteger(), List.of(1, 0, 100, 3, 0, 0, 17));
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(sizes)
            .continuous()
            .to(Lines.region(4))
            .<Integer>map(item -> item)
            .toMain()
            .build()) {
      for (int pass = 0; pass < 9; pass++) {
        assertEquals(Lines.listBelow(sizes.sizeOf(pass)), Lines.pass(pipeline));
        int begun = pass + 2;
        Deadlines.assertEventually("the next pass has begun", () -> sizes.passes().get() >= begun);
      }
    }
  }

  // B198
  @Test
  void passesInWhichEverythingIsFilteredOutEndLikeOthers() {
    for (Order order : Order.values()) {
      AtomicInteger passes = new AtomicInteger();
      Iterable<Integer> source =
          () ->
              passes.getAndIncrement() % 2 == 0
                  ? IntStream.range(100, 140).iterator()
                  : IntStream.range(90, 110).iterator();
      try (PipelineIterable<Integer> pipeline =
          Pipeline.from(source)
              .continuous()
              .to(Lines.region(4).order(order))
              .filter(item -> item < 100, 2, order)
              .toMain()
              .build()) {
        for (int pass = 0; pass < 3; pass++) {
          assertEquals(List.of(), Lines.pass(pipeline));
          assertEquals(
              IntStream.range(90, 100).boxed().toList(),
              Lines.pass(pipeline).stream().sorted().toList());
        }
      }
    }
  }

  @Test
  void completionOrderOverSeveralWorkersDoesNotWaitForASlowInput() throws Exception {
    othersComeBeforeASlowInput(Lines.region(2).inputsAhead(1).order(Order.COMPLETION), 1);
  }

  @Test
  void completionOrderInsideOneWorkerDoesNotWaitForASlowInput() throws Exception {
    othersComeBeforeASlowInput(Lines.region(1).inputsAhead(4).order(Order.COMPLETION), 2);
  }

  /** The first input is answered when the results of all others were taken. */
  private void othersComeBeforeASlowInput(ProcessRegion region, int concurrency) throws Exception {
    String taken = folder.resolve("taken").toString();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(50))
            .to(region)
            .<Integer>map(
                item -> {
                  while (item == 0 && !new File(taken).exists()) {
                    Thread.sleep(5);
                  }
                  return item;
                },
                concurrency,
                Order.COMPLETION)
            .toMain()
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      Set<Integer> all = new HashSet<>();
      for (int i = 1; i < 50; i++) {
        int next = Deadlines.within("a result", Deadlines.GENEROUS, results::next);
        assertTrue(next > 0 && all.add(next), () -> "result " + next);
      }
      assertTrue(new File(taken).mkdir());
      assertEquals(0, results.next());
      assertFalse(results.hasNext());
      assertEquals(49, all.size());
    }
  }

  /** The region's order, or else the stage's own, is that of the items which are batched. */
  @Test
  void stagesInsideAWorkerKeepTheOrderThatTheyOrTheirRegionDeclare() {
    for (Order order : Order.values()) {
      Order other = order == Order.INPUT ? Order.COMPLETION : Order.INPUT;
      String third = folder.resolve("third " + order).toString();
      try (PipelineIterable<List<Integer>> pipeline =
          Pipeline.from(new Lines.Below(30))
              .to(Lines.region(1).inputsAhead(8).order(order))
              .<Integer>map(
                  item -> {
                    if (item == 2) {
                      assertTrue(new File(third).mkdir());
                    }
                    while (item == 0 && !new File(third).exists()) {
                      Thread.sleep(5); // the second one is done by then
                    }
                    return item;
                  },
                  2,
                  other)
              .batch(3)
              .toMain()
              .build()) {
        List<Integer> all = Lines.pass(pipeline).stream().flatMap(List::stream).toList();
        assertEquals(Lines.listBelow(30), all);
      }
    }
  }

  // B196
  @Test
  void workerHasNoMoreUnansweredInputsThanItMay() throws Exception {
    try (PipelineIterable<Integer> pipeline = gated(1, 3, 0, 40)) {
      FutureTask<List<Integer>> pass = Deadlines.start("a pass", () -> Lines.pass(pipeline));
      Deadlines.assertEventually("as many as it may have", () -> begun() >= 3);
      Deadlines.pause(Duration.ofMillis(500));
      assertEquals(3, begun());
      openGate();
      assertEquals(Lines.listBelow(40), Deadlines.result(pass));
    }
  }

  /** Four times as many as both workers may have, and what the slow one has beyond. */
  // B196
  @Test
  void slowInputHoldsBackABoundedNumberOfOthersInInputOrder() throws Exception {
    int ahead = 3;
    int window = 4 * ahead * 2;
    try (PipelineIterable<Integer> pipeline = gated(2, ahead, 1, 400)) {
      FutureTask<List<Integer>> pass = Deadlines.start("a pass", () -> Lines.pass(pipeline));
      Deadlines.assertEventually("others run ahead", () -> begun() >= window - ahead);
      Deadlines.pause(Duration.ofMillis(500));
      assertTrue(begun() <= window + ahead, () -> "begun " + begun());
      openGate();
      assertEquals(Lines.listBelow(400), Deadlines.result(pass));
    }
  }

  /** A region whose inputs wait for a gate, all of them or the first few. */
  private PipelineIterable<Integer> gated(int workers, int ahead, int waiting, int count) {
    String where = folder.toString();
    return Pipeline.from(new Lines.Below(count))
        .to(Lines.region(workers).inputsAhead(ahead))
        .<Integer>map(
            item -> {
              boolean fresh = new File(where, "begun " + item).mkdir();
              while ((waiting == 0 || item < waiting) && !new File(where, "gate").exists()) {
                Thread.sleep(5);
              }
              return fresh ? item : -1;
            },
            16)
        .toMain()
        .build();
  }

  private int begun() {
    return folder.toFile().list().length;
  }

  private void openGate() {
    assertTrue(folder.resolve("gate").toFile().mkdir());
  }

  // B200
  @Test
  void workerThatDiesWhileTheSourceWaitsIsReportedAtOnce() throws Exception {
    Iterable<Integer> source = () -> Stream.iterate(0, RegionTest::nextOfFour).iterator();
    for (boolean continuous : new boolean[] {false, true}) {
      Pipeline<Integer> idle = Pipeline.from(source);
      try (PipelineIterable<Long> pipeline =
          (continuous ? idle.continuous() : idle)
              .to(Lines.region(1))
              .<Long>map(_ -> ProcessHandle.current().pid())
              .toMain()
              .build()) {
        Iterator<Long> results = pipeline.iterator();
        long worker = results.next();
        for (int i = 1; i < 4; i++) {
          assertEquals(worker, results.next());
        }
        FutureTask<Long> waiting = Deadlines.start("waiting", results::next);
        Deadlines.pause(Duration.ofMillis(100));
        long killed = System.nanoTime();
        ChildJvm.signal(worker, ChildJvm.SIGKILL);
        WorkerDiedException died =
            assertThrows(WorkerDiedException.class, () -> Deadlines.result(waiting));
        Promise.kept("report of a death behind an idle source", Promise.DEATH_REPORTED, killed);
        assertEquals("SIGKILL", died.facts().get("signal"));
      }
    }
  }

  /** Waits for ever after the fourth. */
  private static int nextOfFour(int before) {
    if (before == 3) {
      try {
        Thread.sleep(3_600_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return before + 1;
  }

  @Test
  void seedOfAWorkerFollowsFromTheRegionsAndIsKeptByTheOneThatReplacesIt() {
    Map<Integer, Long> seeds = seeds(2, 5, "");
    assertEquals(2, seeds.values().stream().distinct().count());
    assertEquals(seeds, seeds(2, 5, ""));
    Map<Integer, Long> others = seeds(2, 6, "");
    seeds.forEach((worker, seed) -> assertNotEquals(seed, others.get(worker)));
    assertEquals(Map.of(0, seeds.get(0)), seeds(1, 5, folder.resolve("died once").toString()));
  }

  /** Returns the seed of each worker; one of them may die once. */
  private static Map<Integer, Long> seeds(int workers, long seed, String death) {
    try (PipelineIterable<Made> pipeline =
        Pipeline.from(new Lines.Below(20))
            .to(
                Lines.region(workers)
                    .inputsAhead(1)
                    .seed(seed)
                    .onWorkerDeath(OnWorkerDeath.RESTART))
            .<Made>mapWith(
                (item, context) -> {
                  if (item == 5 && !death.isEmpty() && new File(death).mkdir()) {
                    Runtime.getRuntime().halt(3);
                  }
                  Thread.sleep(10);
                  return new Made(
                      item,
                      ProcessHandle.current().pid(),
                      context.index(),
                      context.count(),
                      context.seed());
                })
            .toMain()
            .build()) {
      Map<Integer, Long> seeds = new HashMap<>();
      Set<Long> processes = new HashSet<>();
      for (Made made : Lines.pass(pipeline)) {
        processes.add(made.pid());
        Long known = seeds.putIfAbsent(made.worker(), made.seed());
        assertTrue(known == null || known == made.seed());
      }
      assertEquals(workers, seeds.size());
      assertEquals(death.isEmpty() ? workers : workers + 1, processes.size());
      return seeds;
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
