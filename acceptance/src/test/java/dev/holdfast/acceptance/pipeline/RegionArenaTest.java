package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.arena.FileSlotArena;
import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFailedException;
import dev.holdfast.loader.pipeline.StageFunction;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Regions whose large binaries go through arenas of the caller, and who may alias what. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class RegionArenaTest {
  private static final int COUNT = 150;

  /** A result with a tensor that was filled in the worker. */
  record Filled(int number, Tensor tensor) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  // B206 to B208
  @Test
  void binariesCrossInEitherDirectionInBothAndInNone() {
    for (int way = 0; way < 4; way++) {
      int workers = way == 3 ? 2 : 1;
      ProcessRegion region = Lines.region(workers);
      try (Lines.Arenas inputs = Lines.Arenas.pools(2, 4);
          Lines.Arenas outputs = Lines.Arenas.pools(2, 4)) {
        if ((way & 1) != 0) {
          region = region.inputArena(inputs::get);
        }
        if ((way & 2) != 0) {
          region = region.outputArena(outputs::get);
        }
        passBothWays(region);
        for (int i = 0; i < workers; i++) {
          assertEquals((way & 1) != 0, inputs.get(i).stats().published() > 0);
          assertEquals((way & 2) != 0, outputs.get(i).stats().published() > 0);
          ArenaStats stats = outputs.get(i).stats();
          assertEquals(stats.published(), stats.reclaimed());
          // both sides are free again
          outputs.get(i).openWriter().close();
          inputs.get(i).openReader().close();
        }
      }
    }
  }

  private static void passBothWays(ProcessRegion region) {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(COUNT))
            .<float[]>map(Lines::payload)
            .to(region)
            .<float[]>map(payload -> Lines.payload(Lines.stamp(payload) * 2))
            .toMain()
            .<Integer>map(Lines::stamp)
            .onFailure(FailurePolicy.fail())
            .build()) {
      assertEquals(
          Lines.listBelow(COUNT).stream().map(item -> item * 2).toList(), Lines.pass(pipeline));
      assertEquals(List.of(0, 2, 4), Lines.some(pipeline, 3));
      assertEquals(COUNT, Lines.pass(pipeline).size());
    }
  }

  @Test
  void ringsServeARegionToo() {
    try (Lines.Arenas inputs = Lines.Arenas.rings(1, 3);
        Lines.Arenas outputs = Lines.Arenas.rings(1, 3)) {
      passBothWays(Lines.region(1).inputArena(inputs::get).outputArena(outputs::get));
    }
  }

  @Test
  void bothDirectionsExhaustedAtOnceGoOn() {
    passWithRoomForOneEachWay(() -> Lines.Arenas.pools(1, 1));
    passWithRoomForOneEachWay(() -> Lines.Arenas.rings(1, 1));
  }

  /** Nobody takes a result before neither side can send any more. */
  private static void passWithRoomForOneEachWay(Supplier<Lines.Arenas> arenas) {
    try (Lines.Arenas inputs = arenas.get();
        Lines.Arenas outputs = arenas.get();
        PipelineIterable<float[]> pipeline =
            Pipeline.from(new Lines.Below(40))
                .<float[]>map(Lines::payload)
                .to(
                    Lines.region(1)
                        .inputsAhead(40)
                        .inputArena(inputs::get)
                        .outputArena(outputs::get))
                .<float[]>map(payload -> payload, 3)
                .toMain()
                .build()) {
      Iterator<Lease<float[]>> leases = pipeline.leases().iterator();
      Deadlines.assertEventually(
          "both stand still", () -> standStill(inputs.get(0), outputs.get(0)));
      int next = 0;
      while (leases.hasNext()) {
        try (Lease<float[]> lease = leases.next()) {
          assertEquals(next++, Lines.stamp(lease.item()));
        }
      }
      assertEquals(40, next);
    }
  }

  /** Returns whether each arena is full, and the one of the inputs for some time. */
  private static boolean standStill(SharedMemoryArena inputs, SharedMemoryArena outputs) {
    long sent = inputs.stats().published();
    Deadlines.pause(Duration.ofMillis(200));
    ArenaStats in = inputs.stats();
    ArenaStats out = outputs.stats();
    return in.published() == sent
        && in.reclaimed() == sent - 1
        && out.published() == 1
        && out.reclaimed() == 0;
  }

  private static Pipeline<Tensor> tensors(Lines.Arenas outputs, int count) {
    return Pipeline.from(new Lines.Below(count))
        .to(Lines.region(1).outputArena(outputs::get))
        .<Tensor>map(
            item ->
                Tensor.of(
                    ElementType.FLOAT32,
                    MemorySegment.ofArray(Lines.payload(item)),
                    Lines.ELEMENTS))
        .toMain();
  }

  @Test
  void resultThatAliasesItsInputIsRefusedByName() {
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 4)) {
      List<StageFunction<Tensor, Object>> aliasing =
          List.of(
              tensor -> tensor,
              tensor -> List.of("x", tensor.segment().asSlice(8)),
              tensor -> Map.of("key", tensor.asByteBuffer()),
              tensor -> new Object[] {new Filled(1, tensor)});
      AtomicReference<StageFunction<Tensor, Object>> function = new AtomicReference<>();
      try (PipelineIterable<Object> pipeline =
          tensors(outputs, 10)
              .<Object>map(tensor -> function.get().apply(tensor))
              .named("keeper")
              .build()) {
        for (StageFunction<Tensor, Object> next : aliasing) {
          function.set(next);
          Iterator<Object> results = pipeline.iterator();
          StageFailedException refused = assertThrows(StageFailedException.class, results::next);
          assertEquals("keeper", refused.facts().get("stage"));
          assertEquals(0L, refused.facts().get("index"));
        }
      }
    }
  }

  /** Two ways to the memory of an input. */
  private record Alias(MemorySegment segment, ByteBuffer buffer) {
    static Alias of(Tensor tensor) {
      return new Alias(tensor.segment(), tensor.asByteBuffer());
    }

    void assertThrowsWhenUsed(Class<? extends Exception> expected) {
      assertTrue(segment.isNative(), "it lies in the arena");
      assertThrows(expected, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
      assertThrows(expected, () -> buffer.get(0));
    }
  }

  /** The walk does not reach into classes of the JDK that are not open to us. */
  @Test
  void aliasThatIsHiddenFromTheWalkThrowsAtItsFirstUse() {
    AtomicReference<Alias> before = new AtomicReference<>();
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 4);
        PipelineIterable<AtomicReference<Alias>> pipeline =
            tensors(outputs, 10)
                .<AtomicReference<Alias>>map(
                    tensor -> {
                      Alias ended = before.getAndSet(Alias.of(tensor));
                      if (ended != null) {
                        ended.assertThrowsWhenUsed(IllegalStateException.class);
                      }
                      return new AtomicReference<>(before.get());
                    })
                .onFailure(FailurePolicy.fail())
                .build()) {
      int count = 0;
      for (AtomicReference<Alias> result : pipeline) {
        result.get().assertThrowsWhenUsed(WrongThreadException.class);
        count++;
      }
      assertEquals(10, count);
      assertEquals(0, outputs.get(0).stats().held());
    }
  }

  @Test
  void parcelsOfResultsAreOpenedOnOtherThreadsOrDiscarded() throws Exception {
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 4);
        PipelineIterable<Tensor> pipeline = tensors(outputs, 43).build()) {
      assertEquals(43, Lines.openOrDiscard(pipeline.parcels()));
      ArenaStats stats = outputs.get(0).stats();
      assertEquals(0, stats.held());
      assertEquals(43, stats.reclaimed());
    }
  }

  /** The held result is all that the output arena has room for, so its worker waits for space. */
  @Test
  void arenaThatItsOwnerClosesEndsThePipelineAndDropsNoItem() throws Exception {
    for (OnWorkerDeath reaction : OnWorkerDeath.values()) {
      for (boolean input : new boolean[] {true, false}) {
        try (Lines.Arenas inputs = Lines.Arenas.pools(1, 4);
            Lines.Arenas outputs = Lines.Arenas.pools(1, 1);
            PipelineIterable<float[]> pipeline =
                Pipeline.from(new Lines.Below(1_000))
                    .<float[]>map(Lines::payload)
                    .to(
                        Lines.region(1)
                            .inputArena(inputs::get)
                            .outputArena(outputs::get)
                            .onWorkerDeath(reaction))
                    .<float[]>map(payload -> payload)
                    .toMain()
                    .build()) {
          Iterator<Lease<float[]>> results = pipeline.leases().iterator();
          Lease<float[]> held = results.next();
          SharedMemoryArena closed = (input ? inputs : outputs).get(0);
          closed.close();
          if (input) {
            held.close(); // or nothing would ask for the next input
          }
          ArenaClosedException failure =
              Deadlines.within(
                  "the end",
                  Deadlines.GENEROUS,
                  () ->
                      assertThrows(
                          ArenaClosedException.class,
                          () -> results.forEachRemaining(Lease::close)));
          assertEquals(closed.arenaId().toString(), failure.facts().get("arena"));
          assertThrows(ArenaClosedException.class, pipeline.iterator()::next);
          assertEquals(0, pipeline.stats().failed());
          assertEquals(0, pipeline.stats().restarts());
          held.close();
        }
      }
    }
  }

  @Test
  void workerThatDiesAfterItsArenaWasClosedIsNotReplaced() {
    for (boolean input : new boolean[] {true, false}) {
      try (Lines.Arenas arenas = Lines.Arenas.pools(1, 4);
          PipelineIterable<Long> pipeline =
              Pipeline.from(new Lines.Below(2))
                  .to(
                      (input
                              ? Lines.region(1).inputArena(arenas::get)
                              : Lines.region(1).outputArena(arenas::get))
                          .onWorkerDeath(OnWorkerDeath.RESTART))
                  .<Long>map(
                      item -> {
                        if (item == 1) {
                          Thread.sleep(3_600_000);
                        }
                        return ProcessHandle.current().pid();
                      })
                  .toMain()
                  .build()) {
        Iterator<Long> results = pipeline.iterator();
        long worker = results.next();
        arenas.get(0).close();
        ChildJvm.signal(worker, ChildJvm.SIGKILL);
        assertThrows(ArenaClosedException.class, results::next);
        assertEquals(0, pipeline.stats().failed());
      }
    }
  }

  @Test
  void itemsThatWaitUnopenedForAStageAreNoFailedItemsWhenTheirArenaIsClosed() {
    CountDownLatch gate = new CountDownLatch(1);
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 4);
        PipelineIterable<Integer> pipeline =
            tensors(outputs, 3)
                .<Integer>map(
                    tensor -> {
                      gate.await();
                      return (int) tensor.byteSize();
                    })
                .build()) {
      Iterator<Integer> results = pipeline.iterator();
      Deadlines.assertEventually("all have come", () -> outputs.get(0).stats().held() == 3);
      outputs.get(0).close();
      gate.countDown();
      assertEquals(4 * Lines.ELEMENTS, results.next());
      assertThrows(ArenaClosedException.class, results::next);
    }
  }

  @Test
  void poolThatABatchWouldFillIsNamedWhenThePipelineIsBuilt() {
    try (Lines.Arenas arenas = Lines.Arenas.pools(1, 4)) {
      IllegalArgumentException behind =
          assertThrows(
              IllegalArgumentException.class, tensors(arenas, 1).batch(5).named("five")::build);
      assertTrue(behind.getMessage().contains("batch=five"), behind::getMessage);
      assertTrue(
          behind.getMessage().contains(arenas.get(0).arenaId().toString()), behind::getMessage);
      IllegalArgumentException inside =
          assertThrows(
              IllegalArgumentException.class,
              Pipeline.from(new Lines.Below(1))
                      .to(Lines.region(1).inputArena(arenas::get))
                      .batch(2)
                      .batch(3)
                      .toMain()
                  ::build);
      assertTrue(inside.getMessage().contains("unitsHeld=6"), inside::getMessage);
    }
  }

  @Test
  void lastStageFillsItsResultsInTheArena() {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(Lines.ELEMENTS * 4L, 4)) {
      try (PipelineIterable<Filled> pipeline =
          Pipeline.from(new Lines.Below(60))
              .to(Lines.region(1).outputArena(_ -> pool))
              .<Integer>map(item -> item + 1)
              .<Filled>mapWith(
                  (item, context) -> {
                    Tensor tensor = context.allocate(ElementType.FLOAT32, Lines.ELEMENTS);
                    if (item % 10 == 3) {
                      throw new IllegalStateException("half-way");
                    }
                    MemorySegment.copy(
                        MemorySegment.ofArray(Lines.payload(item)),
                        0,
                        tensor.segment(),
                        0,
                        tensor.byteSize());
                    return new Filled(item, tensor);
                  })
              .toMain()
              .build()) {
        List<Integer> numbers = new ArrayList<>();
        for (Lease<Filled> lease : pipeline.leases()) {
          try (lease) {
            Filled filled = lease.item();
            ByteBuffer bytes = filled.tensor().asByteBuffer();
            assertEquals(filled.number(), (int) bytes.getFloat(4 * (Lines.ELEMENTS - 1)));
            numbers.add(filled.number());
          }
        }
        assertEquals(54, numbers.size());
        assertEquals(6, pipeline.stats().failed());
      }
      pool.unlink();
    }
  }

  /** A result with a tensor, and where that lay when it was filled. */
  record Placed(String mapping, Tensor tensor) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Placed fill(int item, WorkerContext context) {
      Tensor tensor = context.allocate(ElementType.FLOAT32, Lines.ELEMENTS);
      MemorySegment.copy(
          MemorySegment.ofArray(Lines.payload(item)), 0, tensor.segment(), 0, tensor.byteSize());
      String mapping =
          Maps.containing(tensor.segment().address()).map(Maps.Mapping::path).orElse("none");
      return new Placed(mapping, tensor);
    }

    /** Returns whether it was filled in an arena. */
    boolean isIn(SharedMemoryArena arena) {
      assertFalse(mapping.contains("-channel-"), mapping);
      boolean shared = mapping.contains("holdfast-");
      assertEquals(shared, mapping.contains(arena.arenaId().toString()), mapping);
      return shared;
    }
  }

  @Test
  void lastStageOfOneThreadAllocatesInTheArenaAndEveryOtherStageInOrdinaryMemory() {
    assertEquals(
        Collections.nCopies(12, true),
        allocated(source -> source.<Placed>mapWith(Placed::fill).toMain()));
    assertEquals(
        Collections.nCopies(12, true),
        allocated(
            source -> source.<Integer>map(item -> item, 2).<Placed>mapWith(Placed::fill).toMain()));
    List<Boolean> never = Collections.nCopies(12, false);
    assertEquals(
        never, allocated(source -> source.<Placed>mapWith(Placed::fill, 2, Order.INPUT).toMain()));
    assertEquals(
        never,
        allocated(source -> source.<Placed>mapWith(Placed::fill).<Placed>map(it -> it).toMain()));
    assertEquals(
        never,
        allocated(
            source -> source.<Integer>map(item -> item).toMain().<Placed>mapWith(Placed::fill)));
  }

  @Test
  void lastStageAllocatesInOrdinaryMemoryWhereTheRegionHasARingOrNoOutputArena() {
    List<Boolean> never = Collections.nCopies(12, false);
    try (Lines.Arenas rings = Lines.Arenas.rings(1, 4)) {
      assertEquals(
          never,
          allocated(
              rings.get(0),
              Lines.region(1).outputArena(rings::get),
              source -> source.<Placed>mapWith(Placed::fill).toMain()));
      assertEquals(12, rings.get(0).stats().published());
      assertEquals(
          never,
          allocated(
              rings.get(0),
              Lines.region(1),
              source -> source.<Placed>mapWith(Placed::fill).toMain()));
      assertEquals(12, rings.get(0).stats().published());
    }
  }

  private static List<Boolean> allocated(Function<Pipeline<Integer>, Pipeline<Placed>> stages) {
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 4)) {
      return allocated(outputs.get(0), Lines.region(1).outputArena(outputs::get), stages);
    }
  }

  /** Returns for each result whether it was filled in an arena. */
  private static List<Boolean> allocated(
      SharedMemoryArena arena,
      ProcessRegion region,
      Function<Pipeline<Integer>, Pipeline<Placed>> stages) {
    try (PipelineIterable<Placed> pipeline =
        stages
            .apply(Pipeline.from(new Lines.Below(12)).to(region))
            .onFailure(FailurePolicy.fail())
            .build()) {
      List<Boolean> all = new ArrayList<>();
      for (Lease<Placed> lease : pipeline.leases()) {
        try (lease) {
          float[] payload = new float[Lines.ELEMENTS];
          MemorySegment segment = lease.item().tensor().segment();
          MemorySegment.copy(
              segment, ValueLayout.JAVA_FLOAT_UNALIGNED, 0, payload, 0, payload.length);
          assertEquals(all.size(), Lines.stamp(payload));
          all.add(lease.item().isIn(arena));
        }
      }
      return all;
    }
  }

  /** Without a takeover a dead worker's side stays claimed for ever. */
  @Test
  void arenaThatReplacesNoEndpointIsRefusedForRestartWhenThePipelineIsBuilt() {
    for (boolean input : new boolean[] {true, false}) {
      try (Lines.Arenas arenas =
          Lines.Arenas.of(
              1, () -> FileSlotArena.create(Lines.ELEMENTS * 4L + 64, 4, Duration.ofMinutes(5)))) {
        IllegalArgumentException refused =
            assertThrows(
                IllegalArgumentException.class, over(arenas, input, OnWorkerDeath.RESTART)::build);
        assertTrue(
            refused.getMessage().contains("FileSlotArena cannot replace"), refused::getMessage);
        assertEquals(0, ProcessHandle.current().children().count());
        try (PipelineIterable<float[]> pipeline = over(arenas, input, OnWorkerDeath.FAIL).build()) {
          assertEquals(
              Lines.listBelow(20), Lines.pass(pipeline).stream().map(Lines::stamp).toList());
          assertEquals(20, arenas.get(0).stats().published());
        }
      }
    }
  }

  private static Pipeline<float[]> over(
      Lines.Arenas arenas, boolean input, OnWorkerDeath reaction) {
    ProcessRegion region = Lines.region(1).onWorkerDeath(reaction);
    return Pipeline.from(new Lines.Below(20))
        .<float[]>map(Lines::payload)
        .to(input ? region.inputArena(arenas::get) : region.outputArena(arenas::get))
        .<float[]>map(payload -> payload)
        .toMain();
  }

  @Test
  void arenaThatStaysFullIsAnErrorWhileTheConsumerWaitsAndThenGoesOn() {
    try (Lines.Arenas outputs = Lines.Arenas.pools(1, 3, Duration.ofMillis(300));
        PipelineIterable<Tensor> pipeline = tensors(outputs, 20).build()) {
      Iterator<Lease<Tensor>> leases = pipeline.leases().iterator();
      List<Lease<Tensor>> held = List.of(leases.next(), leases.next(), leases.next());
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
      assertEquals(3L, full.facts().get("heldByConsumer"));
      held.forEach(Lease::close);
      int next = 3;
      while (leases.hasNext()) {
        try (Lease<Tensor> lease = leases.next()) {
          assertEquals(next++, (int) lease.item().asByteBuffer().getFloat(0));
        } catch (AcquireTimeoutException e) {
          assertFalse(next > 4, "complains although there is room");
        }
      }
      assertEquals(20, next);
    }
  }

  @Test
  void completionOrderOverTwoWorkersDeliversEachOnce() {
    try (Lines.Arenas outputs = Lines.Arenas.pools(2, 3);
        PipelineIterable<float[]> pipeline =
            Pipeline.from(new Lines.Below(300))
                .to(Lines.region(2).order(Order.COMPLETION).outputArena(outputs::get))
                .<float[]>map(Lines::payload, 2, Order.COMPLETION)
                .toMain()
                .build()) {
      assertEquals(
          Lines.listBelow(300), Lines.pass(pipeline).stream().map(Lines::stamp).sorted().toList());
    }
  }
}
