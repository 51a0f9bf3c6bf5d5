package dev.holdfast.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each stage promises, on one thread and on eight, in both orders. */
final class StageContractTest {
  private static final int COUNT = 997;

  static Stream<Arguments> ways() {
    return Stream.of(1, 8)
        .flatMap(threads -> Stream.of(Order.values()).map(order -> Arguments.of(threads, order)));
  }

  private static List<Integer> inOrder(Order order, int threads, List<Integer> results) {
    if (order == Order.INPUT || threads == 1) {
      return results;
    }
    return results.stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void mapMakesOneOfEach(int threads, Order order) {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  Numbers.work(item);
                  return item + 1;
                },
                threads,
                order)
            .build()) {
      for (int pass = 0; pass < 3; pass++) {
        List<Integer> results = inOrder(order, threads, Numbers.pass(pipeline));
        assertEquals(Numbers.listBelow(COUNT).stream().map(item -> item + 1).toList(), results);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void filterLetsThroughWhatIsWanted(int threads, Order order) {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .filter(
                item -> {
                  Numbers.work(item);
                  return item % 3 == 0;
                },
                threads,
                order)
            .build()) {
      assertEquals(
          Numbers.listBelow(COUNT).stream().filter(item -> item % 3 == 0).toList(),
          inOrder(order, threads, Numbers.pass(pipeline)));
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void flatMapMakesAnyNumberOfEach(int threads, Order order) {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(100))
            .<Integer>flatMap(item -> Collections.nCopies(item % 41, item), threads, order)
            .build()) {
      List<Integer> expected = new ArrayList<>();
      Numbers.listBelow(100).forEach(item -> expected.addAll(Collections.nCopies(item % 41, item)));
      assertEquals(expected, inOrder(order, threads, Numbers.pass(pipeline)));
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void failedItemsAreCountedAndTheirNeighboursKept(int threads, Order order) {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  if (item % 100 == 7) {
                    throw new IllegalStateException("no " + item);
                  }
                  return item;
                },
                threads,
                order)
            .named("picky")
            .build()) {
      assertEquals(
          Numbers.listBelow(COUNT).stream().filter(item -> item % 100 != 7).toList(),
          inOrder(order, threads, Numbers.pass(pipeline)));
      PipelineStats stats = pipeline.stats();
      assertEquals(10, stats.failed());
      assertEquals(
          List.of(7L, 107L, 207L, 307L, 407L, 507L, 607L, 707L, 807L, 907L),
          stats.failures().stream().map(StageFailure::index).sorted().toList());
      StageFailure first = stats.failures().getFirst();
      assertEquals("picky", first.stage());
      assertEquals(String.valueOf(first.index()), first.item());
      assertEquals("IllegalStateException: no " + first.index(), first.reason());
      StageStats stage = stats.stages().getLast();
      assertEquals("picky", stage.name());
      assertEquals(10, stage.failures());
      assertEquals(COUNT, stage.items());
    }
  }

  @Test
  void batchesAreFullButTheLast() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(Numbers.below(10)).batch(4).build()) {
      List<List<Integer>> expected =
          List.of(List.of(0, 1, 2, 3), List.of(4, 5, 6, 7), List.of(8, 9));
      assertEquals(expected, Numbers.pass(pipeline));
      assertEquals(expected, Numbers.pass(pipeline));
    }
  }

  @Test
  void batchThatWasLeftHalfFullBeginsAnew() {
    try (PipelineIterable<List<Integer>> pipeline =
        Pipeline.from(Numbers.below(1000)).batch(7).build()) {
      for (int pass = 0; pass < 20; pass++) {
        assertEquals(List.of(List.of(0, 1, 2, 3, 4, 5, 6)), Numbers.some(pipeline, 1));
      }
      assertEquals(143, Numbers.pass(pipeline).size());
    }
  }

  @Test
  void unbatchTakesIterablesAndArraysApart() {
    List<Object> items = List.of(List.of(1, 2), new Object[] {3}, List.of(), List.of(4));
    try (PipelineIterable<Object> pipeline = Pipeline.from(items).<Object>unbatch().build()) {
      assertEquals(List.of(1, 2, 3, 4), Numbers.pass(pipeline));
    }
    try (PipelineIterable<Object> pipeline =
        Pipeline.from(List.<Object>of("text")).<Object>unbatch().build()) {
      assertEquals(List.of(), Numbers.pass(pipeline));
      assertEquals("unbatch-1", pipeline.stats().failures().getFirst().stage());
    }
  }

  @Test
  void bufferLetsTheStageBeforeRunAhead() {
    AtomicInteger made = new AtomicInteger();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  made.incrementAndGet();
                  return item;
                })
            .buffer(100)
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      Deadlines.assertEventually("the buffer is full", () -> made.get() == 102);
      Deadlines.pause(Duration.ofMillis(20));
      assertEquals(102, made.get());
      int next = 1;
      while (results.hasNext()) {
        assertEquals(next++, results.next());
      }
      assertEquals(COUNT, next);
    }
  }

  @Test
  void nullsPassThroughEveryStage() {
    try (PipelineIterable<Object> pipeline =
        Pipeline.from(Arrays.asList("a", null, "b"))
            .<String>map(item -> item)
            .filter(_ -> true)
            .batch(2)
            .<Object>unbatch()
            .build()) {
      assertEquals(Arrays.asList("a", null, "b"), Numbers.pass(pipeline));
    }
  }

  @Test
  void endlessFlatMapIsAskedForNoMoreThanTheQueuesHold() {
    AtomicInteger asked = new AtomicInteger();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(List.of(1))
            .<Integer>flatMap(_ -> () -> endless(asked), 8, Order.INPUT)
            .build()) {
      assertEquals(Numbers.listBelow(500), Numbers.some(pipeline, 500));
      assertTrue(asked.get() < 600, () -> "asked " + asked);
    }
  }

  private static Iterator<Integer> endless(AtomicInteger asked) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public Integer next() {
        return asked.getAndIncrement();
      }
    };
  }

  @Test
  void virtualThreadsServeAStageThatWaits() {
    CountDownLatch all = new CountDownLatch(64);
    try (PipelineIterable<Boolean> pipeline =
        Pipeline.from(Numbers.below(64))
            .<Boolean>map(
                _ -> {
                  all.countDown();
                  all.await();
                  return Thread.currentThread().isVirtual();
                },
                64)
            .onVirtualThreads()
            .build()) {
      assertEquals(Collections.nCopies(64, true), Numbers.pass(pipeline));
    }
  }

  @Test
  void slowItemHoldsBackABoundedNumberOfOthers() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  begun.incrementAndGet();
                  if (item == 0) {
                    go.await();
                  }
                  return item;
                },
                4)
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      FutureTask<Integer> first = Deadlines.start("first", results::next);
      Deadlines.assertEventually("others run ahead", () -> begun.get() > 4);
      Deadlines.pause(Duration.ofMillis(50));
      assertTrue(begun.get() <= 12, () -> "begun " + begun);
      go.countDown();
      assertEquals(0, Deadlines.result(first));
      assertEquals(1, results.next());
    }
  }

  /** The first item is finished when the second one was taken. */
  @Test
  void completionOrderDoesNotWaitForASlowItem() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  if (item == 0) {
                    taken.await();
                  }
                  return item;
                },
                2,
                Order.COMPLETION)
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(1, Deadlines.within("a result", Deadlines.GENEROUS, results::next));
      taken.countDown();
      List<Integer> others = new ArrayList<>();
      results.forEachRemaining(others::add);
      others.add(1);
      assertEquals(Numbers.listBelow(COUNT), others.stream().sorted().toList());
    }
  }

  @Test
  void figuresSayWhichStageHoldsTheOthersUp() {
    int items = 200;
    Duration each = Duration.ofMillis(5);
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(items))
            .<Integer>map(item -> item)
            .named("before")
            .buffer(20)
            .<Integer>map(
                item -> {
                  Deadlines.pause(each);
                  return item;
                })
            .named("slow")
            .buffer(20)
            .<Integer>map(item -> item)
            .named("behind")
            .build()) {
      assertEquals(Numbers.listBelow(items), Numbers.pass(pipeline));
      PipelineStats stats = pipeline.stats();
      assertEquals("slow", stats.bottleneck());
      List<StageStats> stages = stats.stages();
      assertEquals(
          List.of("source", "before", "slow", "behind"),
          stages.stream().map(StageStats::name).toList());
      StageStats slow = stages.get(2);
      assertTrue(slow.p50().compareTo(each) >= 0, slow::toString);
      assertTrue(slow.p99().compareTo(slow.p50()) >= 0, slow::toString);
      assertTrue(slow.busy().compareTo(each.multipliedBy(items)) >= 0, slow::toString);
      assertEquals(20, slow.queueCapacity());
      assertTrue(slow.queueOccupancy() > 0.8, slow::toString);
      for (StageStats fast : List.of(stages.get(1), stages.get(3))) {
        assertTrue(fast.p50().compareTo(each) < 0, fast::toString);
        assertTrue(fast.busy().compareTo(slow.busy()) < 0, fast::toString);
      }
      assertTrue(stages.get(3).queueOccupancy() < 0.3, stages::toString);
    }
  }

  @Test
  void pipelineWithoutStagesGivesItsSource() {
    try (PipelineIterable<Integer> pipeline = Pipeline.from(Numbers.below(5)).build()) {
      assertEquals(Numbers.listBelow(5), Numbers.pass(pipeline));
      Iterator<Integer> results = pipeline.iterator();
      for (int i = 0; i < 5; i++) {
        results.next();
      }
      assertThrows(NoSuchElementException.class, results::next);
    }
  }

  @Test
  void newerIteratorSupersedesTheOlderOne() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT)).<Integer>map(item -> item, 4).build()) {
      Iterator<Integer> older = pipeline.iterator();
      assertEquals(0, older.next());
      assertEquals(Numbers.listBelow(COUNT), Numbers.pass(pipeline));
      assertThrows(IllegalStateException.class, older::next);
    }
  }

  @Test
  void waitInAPassThatIsSupersededEndsWithAnErrorAndNotWithThePass() throws Exception {
    for (int round = 0; round < 10; round++) {
      CountDownLatch begun = new CountDownLatch(1);
      Iterable<Integer> source = () -> Stream.generate(() -> waited(begun)).iterator();
      try (PipelineIterable<Integer> pipeline = Pipeline.from(source).build()) {
        Iterator<Integer> older = pipeline.iterator();
        FutureTask<Integer> waiting = Deadlines.start("waiting", older::next);
        begun.await();
        Iterator<Integer> newer = pipeline.iterator();
        assertThrows(IllegalStateException.class, () -> Deadlines.result(waiting));
        assertThrows(IllegalStateException.class, older::next);
        assertNotSame(older, newer);
      }
    }
  }

  /** Waits until the pass is left. */
  private static int waited(CountDownLatch begun) {
    begun.countDown();
    Deadlines.pause(Duration.ofHours(1));
    return 0;
  }

  @Test
  void closeEndsAWaitWithAnError() throws Exception {
    PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(COUNT))
            .<Integer>map(
                item -> {
                  Thread.sleep(3_600_000);
                  return item;
                },
                3)
            .build();
    Iterator<Integer> results = pipeline.iterator();
    FutureTask<Integer> waiting = Deadlines.start("waiting", results::next);
    pipeline.close();
    assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
    assertThrows(ArenaClosedException.class, results::next);
    assertThrows(ArenaClosedException.class, pipeline::iterator);
    pipeline.close();
  }

  @Test
  void continuousSourceBeginsTheNextPassByItself() {
    AtomicInteger passes = new AtomicInteger();
    Iterable<Integer> source =
        () -> {
          passes.incrementAndGet();
          return Numbers.listBelow(3).iterator();
        };
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source).continuous().<Integer>map(item -> item, 2).build()) {
      assertEquals(Numbers.listBelow(3), Numbers.pass(pipeline));
      Deadlines.assertEventually("the next pass has begun", () -> passes.get() > 1);
      for (int pass = 0; pass < 50; pass++) {
        assertEquals(List.of(0, 1), Numbers.some(pipeline, 2));
        assertEquals(Numbers.listBelow(3), Numbers.pass(pipeline));
      }
    }
  }

  @Test
  void badNumbersAreRefused() {
    Pipeline<Integer> pipeline = Pipeline.from(Numbers.below(1));
    assertThrows(IllegalArgumentException.class, () -> pipeline.batch(0));
    assertThrows(IllegalArgumentException.class, () -> pipeline.buffer(0));
    assertThrows(IllegalArgumentException.class, () -> pipeline.map(item -> item, 0));
    assertThrows(IllegalStateException.class, () -> pipeline.named("x"));
    assertThrows(IllegalStateException.class, pipeline::toMain);
    assertThrows(IllegalArgumentException.class, () -> ProcessRegion.workers(0));
    assertThrows(IllegalArgumentException.class, () -> FailurePolicy.dropUpTo(-1));
  }

  @Test
  void batchesOfARegionThatCollectMoreThanCanBeCountedAreRefusedByName() {
    Pipeline<List<Integer>> large =
        Pipeline.from(Numbers.below(1))
            .to(ProcessRegion.workers(1))
            .batch(Integer.MAX_VALUE)
            .named("all")
            .toMain();
    Pipeline<List<List<List<Integer>>>> nested =
        Pipeline.from(Numbers.below(1))
            .to(ProcessRegion.workers(1))
            .batch(1 << 16)
            .batch(1 << 14)
            .batch(Integer.MAX_VALUE)
            .named("all")
            .toMain();
    for (Executable made : List.<Executable>of(large::build, nested::build, large::asSource)) {
      IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, made);
      assertTrue(refused.getMessage().contains("region=region-1 batch=all"), refused::getMessage);
    }
    assertEquals(0, ProcessHandle.current().children().count());
  }

  // B192
  @Test
  void regionsThatAreOpenOrEmptyAreRefused() {
    ProcessRegion region = ProcessRegion.workers(1);
    Pipeline<Integer> open = Pipeline.from(Numbers.below(1)).to(region);
    assertThrows(IllegalArgumentException.class, open::toMain);
    assertThrows(IllegalArgumentException.class, () -> open.to(region));
    assertThrows(IllegalArgumentException.class, open.map(item -> item)::build);
    assertThrows(IllegalArgumentException.class, open.map(item -> item)::asSource);
  }
}
