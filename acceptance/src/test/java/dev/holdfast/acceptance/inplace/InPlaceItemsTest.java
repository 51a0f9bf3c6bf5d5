package dev.holdfast.acceptance.inplace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Collator;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Items that a worker makes where they are read. */
@SuppressWarnings("ExposedPrivateType") // rows of tables
@ExtendWith(Leftovers.class)
@Timeout(300)
final class InPlaceItemsTest {
  private static final System.Logger LOG = System.getLogger("dev.holdfast.acceptance");
  private static final int SEGMENT = 200_001;
  private static final List<ElementType> TYPES = List.of(ElementType.values());
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  @TempDir private Path folder;

  private enum Way {
    POOL,
    RING,
    CHANNEL;

    SubprocessOptions options() {
      SubprocessOptions.Builder options = SubprocessOptions.builder();
      return switch (this) {
        case POOL -> options.arena(new SharedMemorySegmentPool(SEGMENT, 3)).build();
        case RING -> options.arena(new SharedMemoryRingBuffer(2 * SEGMENT)).build();
        case CHANNEL -> options.build();
      };
    }
  }

  /** Makes the item of a place. */
  private interface Making extends Serializable {
    Object item(WorkerContext context, int index) throws Exception;
  }

  private static WorkerSource<Object> counting(int count, Making making) {
    return context ->
        () ->
            new Iterator<>() {
              private int next;

              @Override
              public boolean hasNext() {
                return next < count;
              }

              @Override
              public Object next() {
                try {
                  return making.item(context, next++);
                } catch (RuntimeException e) {
                  throw e;
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }
            };
  }

  private static SubprocessIterable<Object> pooled(WorkerSource<Object> source, int segments) {
    return Subprocess.iterate(
        source,
        SubprocessOptions.builder()
            .jvmArgs(ChildJvm.SHORT_LIVED)
            .arena(new SharedMemorySegmentPool(SEGMENT, segments))
            .build());
  }

  private static MemorySegment stamped(MemorySegment memory, int index) {
    Stamps.fill(memory, index, 0);
    return memory;
  }

  private static void verify(Lease<Object> taken, int index) {
    try (Lease<Object> lease = taken) {
      Stamps.verify((MemorySegment) lease.item(), index, 0);
    }
  }

  private static void await(Path sign) {
    Deadlines.assertEventually("the sign " + sign, () -> Files.exists(sign));
  }

  @Test
  void noByteIsCopiedBetweenTheWorkersMemoryAndTheParentsView() throws Exception {
    String signs = folder.toString();
    WorkerSource<Object> source =
        counting(
            1,
            (context, _) -> {
              Tensor tensor = context.allocate(ElementType.FLOAT32, 100, 50);
              Stamps.fill(tensor.segment(), 11, 4);
              Files.createFile(Path.of(signs, "filled"));
              await(Path.of(signs, "go"));
              return tensor;
            });
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      SharedMemoryArena arena = items.arena().orElseThrow();
      Iterator<Lease<Object>> leases = items.leases().iterator();
      try (SecondMapping second = SecondMapping.of(arena.arenaId());
          ExecutorService consumer = Executors.newSingleThreadExecutor()) {
        Future<Float> first = consumer.submit(() -> changedInPlace(leases, second));
        await(folder.resolve("filled"));
        long offset = second.find(Stamps.word(11, 4, 0));
        assertTrue(offset > 0, "the bytes are not in the arena before the item is sent");
        Stamps.verify(second.slice(offset, 20_000), 11, 4);
        assertEquals(0, arena.stats().published());
        Files.createFile(folder.resolve("go"));
        float seen = Deadlines.within("the item", Duration.ofMinutes(1), first::get);
        assertEquals(1.25f, seen);
      }
    }
  }

  /** Writes through the second mapping what the view then shows. */
  private static float changedInPlace(Iterator<Lease<Object>> leases, SecondMapping second) {
    try (Lease<Object> lease = leases.next()) {
      Tensor tensor = (Tensor) lease.item();
      Stamps.verify(tensor.segment(), 11, 4);
      long offset = second.find(Stamps.word(11, 4, 0));
      second.slice(offset, 4).set(ValueLayout.JAVA_FLOAT, 0, 1.25f);
      return (float) tensor.get(0, 0);
    }
  }

  /** Whole tensors, parts of all sizes, buffers, beside binaries that are copied and small ones. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void itemsMixWhatIsInPlaceWithWhatIsNotOnEveryWay(Way way) {
    WorkerSource<Object> source =
        counting(
            12,
            (context, index) -> {
              Tensor tensor = context.allocate(ElementType.INT16, 30, 100);
              MemorySegment odd = context.allocate(1_001);
              Stamps.fill(tensor.segment(), index, 1);
              Stamps.fill(odd, index, 2);
              return Map.of(
                  "whole", tensor,
                  "rows", tensor.slice(3, 5),
                  "byte", odd.asSlice(1_000),
                  "buffer", odd.asByteBuffer(),
                  "ordinary", Stamps.payload(9_000, index, 3),
                  "array", Stamps.payload(7_000, index, 4).toArray(BYTE),
                  "empty", tensor.slice(0, 0),
                  "text", "item " + index);
            });
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      for (int pass = 0; pass < 2; pass++) {
        int index = 0;
        for (Lease<Object> taken : items.leases()) {
          try (Lease<Object> lease = taken) {
            verifyMix((Map<?, ?>) lease.item(), index++);
          }
        }
        assertEquals(12, index);
      }
    }
  }

  private static void verifyMix(Map<?, ?> item, int index) {
    Tensor whole = (Tensor) item.get("whole");
    Stamps.verify(whole.segment(), index, 1);
    assertTrue(whole.slice(3, 5).contentEquals((Tensor) item.get("rows")));
    MemorySegment odd = MemorySegment.ofBuffer((ByteBuffer) item.get("buffer"));
    Stamps.verify(odd, index, 2);
    assertEquals(odd.get(BYTE, 1_000), ((MemorySegment) item.get("byte")).get(BYTE, 0));
    Stamps.verify((MemorySegment) item.get("ordinary"), index, 3);
    Stamps.verify(MemorySegment.ofArray((byte[]) item.get("array")), index, 4);
    assertArrayEquals(new long[] {0, 100}, ((Tensor) item.get("empty")).shape());
    assertEquals("item " + index, item.get("text"));
  }

  /** Writes into each item's memory once more when the next one is asked for. */
  private static final class WritesLate implements Iterator<Object> {
    private final WorkerContext context;
    private int next;
    private MemorySegment last = MemorySegment.NULL;
    private String refused = "nothing";

    WritesLate(WorkerContext context) {
      this.context = context;
    }

    @Override
    public boolean hasNext() {
      return next < 100;
    }

    @Override
    public Object next() {
      if (next > 0) {
        refused = refusal(() -> last.fill((byte) 77));
      }
      last = context.allocate(8_000);
      Stamps.fill(last, next, 0);
      return List.of(next++, last, refused);
    }
  }

  // R15
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"POOL", "RING"})
  void writingAfterTheItemWasSentThrowsInTheWorkerAndChangesNothing(Way way) {
    WorkerSource<Object> source = context -> () -> new WritesLate(context);
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      int index = 0;
      for (Lease<Object> taken : items.leases()) {
        try (Lease<Object> lease = taken) {
          List<?> item = (List<?>) lease.item();
          Stamps.verify((MemorySegment) item.get(1), index, 0);
          assertEquals(index == 0 ? "nothing" : "IllegalStateException", item.get(2));
          index++;
        }
      }
      assertEquals(100, index);
    }
  }

  // R28
  @Test
  void whatCanNeverFitIsTypedInTheWorkerAndReachesTheParentAsSuch() {
    WorkerSource<Object> source =
        counting(
            5,
            (context, index) -> {
              if (index == 1) {
                assertThrows(UnitTooLargeException.class, () -> context.allocate(SEGMENT + 1));
              }
              if (index == 3) {
                return context.allocate(ElementType.INT8, 2, SEGMENT);
              }
              return stamped(context.allocate(index == 2 ? SEGMENT : SEGMENT - 1), index);
            });
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      for (int pass = 0; pass < 2; pass++) {
        Iterator<Lease<Object>> leases = items.leases().iterator();
        for (int index = 0; index < 3; index++) {
          verify(leases.next(), index);
        }
        RuntimeException failed = assertThrows(RuntimeException.class, leases::next);
        UnitTooLargeException tooLarge = assertInstanceOf(UnitTooLargeException.class, failed);
        assertEquals(2L * SEGMENT, tooLarge.facts().get("bytesAsked"));
        assertEquals((long) SEGMENT, tooLarge.facts().get("segmentSize"));
        assertFalse(leases.hasNext()); // the source threw, which ends the pass
      }
      assertEquals(6, items.arena().orElseThrow().stats().published());
    }
  }

  // R80
  @Test
  void everyAllocationStartsOn64BytesInBothProcessesAndCanBeReadAligned() {
    int[] sizes = {1, 24, 3, 16, 2};
    WorkerSource<Object> source =
        counting(
            5,
            (context, turn) -> {
              List<MemorySegment> parts = new ArrayList<>();
              for (int i = 0; i < sizes.length; i++) {
                MemorySegment part = context.allocate(sizes[(i + turn) % sizes.length]);
                if (part.address() % 64 != 0) {
                  throw new IllegalStateException("address " + part.address());
                }
                Stamps.fill(part, turn, i);
                parts.add(part);
              }
              return parts;
            });
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      int turn = 0;
      for (Lease<Object> taken : items.leases()) {
        try (Lease<Object> lease = taken) {
          List<?> parts = (List<?>) lease.item();
          for (int i = 0; i < sizes.length; i++) {
            MemorySegment part = (MemorySegment) parts.get(i);
            assertEquals(sizes[(i + turn) % sizes.length], part.byteSize());
            assertEquals(0, part.address() % 64);
            Stamps.verify(part, turn, i);
            if (part.byteSize() >= 8) {
              ValueLayout.JAVA_LONG.varHandle().getVolatile(part, 0L);
            }
          }
          turn++;
        }
      }
      assertEquals(5, turn);
    }
  }

  // R82
  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"POOL", "CHANNEL"})
  void emptyTensorsKeepTypeAndShapeAndHoldNothing(Way way) {
    long[][] shapes = {{0}, {1, 0}, {0, 100}, {}, {3, 0, 5}};
    WorkerSource<Object> source =
        counting(
            60,
            (context, index) -> {
              List<Object> tensors = new ArrayList<>();
              for (int i = 0; i < shapes.length; i++) {
                if (shapes[i].length > 0 || index % 2 == 0) {
                  Tensor tensor = context.allocate(TYPES.get(index % TYPES.size()), shapes[i]);
                  tensor.segment().fill((byte) 0);
                  tensors.add(tensor);
                }
              }
              if (index % 3 == 0) {
                tensors.add(stamped(context.allocate(SEGMENT - 64), index));
              }
              return tensors;
            });
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      int index = 0;
      for (Lease<Object> taken : items.leases()) {
        try (Lease<Object> lease = taken) {
          Iterator<?> tensors = ((List<?>) lease.item()).iterator();
          for (long[] shape : shapes) {
            if (shape.length > 0 || index % 2 == 0) {
              Tensor tensor = (Tensor) tensors.next();
              assertArrayEquals(shape, tensor.shape());
              assertEquals(TYPES.get(index % TYPES.size()), tensor.elementType());
            }
          }
          if (index % 3 == 0) {
            Stamps.verify((MemorySegment) tensors.next(), index, 0);
          }
        }
        index++;
      }
      assertEquals(60, index);
    }
  }

  @Test
  void aThousandItemsThatFailAfterTheirAllocationsGiveEverythingBack() {
    WorkerSource<Object> source =
        counting(
            1_010,
            (context, index) -> {
              MemorySegment memory = stamped(context.allocate(SEGMENT), index);
              return index % 101 == 100 ? memory : List.of(memory, new Thread("cannot cross"));
            });
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      for (int index = 0; index < 1_010; index++) {
        if (index % 101 == 100) {
          verify(leases.next(), index);
        } else {
          WorkerFailedException failed = assertThrows(WorkerFailedException.class, leases::next);
          assertEquals((long) index, failed.facts().get("index"));
        }
      }
      assertFalse(leases.hasNext());
      assertEquals(10, items.arena().orElseThrow().stats().published());
      assertEquals(10, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  /** A thread of the worker that reads from a pipe into the item's memory. */
  private static final class ReadingThread {
    private final Pipe pipe;
    private final Thread thread;

    ReadingThread(MemorySegment target) throws IOException {
      ByteBuffer buffer = target.asByteBuffer();
      pipe = Pipe.open();
      thread =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    try {
                      var _ = pipe.source().read(buffer);
                      pipe.source().close();
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      Deadlines.assertEventually(
          "it stands in the read",
          () -> List.of(thread.getStackTrace()).toString().contains("IOUtil.read"));
    }

    void endSoon() {
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                Deadlines.pause(Duration.ofMillis(50));
                try {
                  var _ = pipe.sink().write(ByteBuffer.allocate(1));
                  pipe.sink().close();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"POOL", "CHANNEL"})
  void itemWhoseMemoryIsReadIntoIsAnErrorInItsPlaceAndTheNextOneArrives(Way way) {
    WorkerSource<Object> source =
        counting(
                4,
                (context, index) -> {
                  MemorySegment memory = stamped(context.allocate(10_000), index);
                  if (index == 1) {
                    new ReadingThread(memory).endSoon();
                  }
                  return memory;
                })
            .withSharedFill();
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      verify(leases.next(), 0);
      WorkerFailedException failed = assertThrows(WorkerFailedException.class, leases::next);
      assertTrue(failed.getMessage().contains("channel operation"), failed::getMessage);
      verify(leases.next(), 2);
      verify(leases.next(), 3);
      assertFalse(leases.hasNext());
      items.arena().ifPresent(arena -> assertEquals(3, arena.stats().published()));
    }
  }

  @Test
  void withSharedFillSeveralThreadsFillAnItem() {
    WorkerSource<Object> source =
        counting(
                30,
                (context, index) -> {
                  Collator batch = Collator.stack(context, 3, ElementType.INT64, 1_000);
                  List<Thread> threads = new ArrayList<>();
                  while (!batch.isFull()) {
                    MemorySegment slot = batch.slot().segment();
                    int row = batch.size();
                    threads.add(Thread.ofVirtual().start(() -> Stamps.fill(slot, index, row)));
                    batch.keep();
                  }
                  for (Thread thread : threads) {
                    thread.join();
                  }
                  return batch.batch();
                })
            .withSharedFill();
    try (SubprocessIterable<Object> items = pooled(source, 3)) {
      int index = 0;
      for (Lease<Object> taken : items.leases()) {
        try (Lease<Object> lease = taken) {
          Tensor batch = (Tensor) lease.item();
          assertArrayEquals(new long[] {3, 1_000}, batch.shape());
          for (int row = 0; row < 3; row++) {
            Stamps.verify(batch.at(row).segment(), index, row);
          }
        }
        index++;
      }
      assertEquals(30, index);
    }
  }

  @Test
  void onlyTheIteratingThreadAllocatesAndOnlyWhileItIsAskedForItems() {
    WorkerSource<Object> source =
        context -> {
          String whileOpening = refusal(() -> context.allocate(10));
          return () -> {
            List<Object> found = new ArrayList<>();
            found.add(whileOpening);
            Thread other = new Thread(() -> found.add(refusal(() -> context.allocate(10))));
            other.start();
            join(other);
            MemorySegment memory = context.allocate(10);
            Thread filler = new Thread(() -> found.add(refusal(() -> memory.fill((byte) 1))));
            filler.start();
            join(filler);
            found.add(refusal(() -> context.allocate(-1)));
            return found.iterator();
          };
        };
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      List<Object> found = new ArrayList<>();
      items.forEach(found::add);
      assertEquals(
          List.of(
              "IllegalStateException",
              "IllegalStateException",
              "WrongThreadException",
              "IllegalArgumentException"),
          found);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String refusal(Runnable action) {
    try {
      action.run();
      return "none";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** Allocates once more when it has nothing to yield, and fails so in every second pass. */
  private static final class AllocatesTooMuch implements Iterator<Object> {
    private static MemorySegment kept = MemorySegment.NULL;
    private static int passes;

    private final WorkerContext context;
    private final boolean failing = passes++ % 2 == 1;
    private int next;

    AllocatesTooMuch(WorkerContext context) {
      this.context = context;
    }

    @Override
    public boolean hasNext() {
      if (next == 3) {
        kept = context.allocate(SEGMENT);
        if (failing) {
          throw new IllegalStateException("nothing comes");
        }
      }
      return next < 3;
    }

    @Override
    public Object next() {
      String ended = passes == 1 ? "IllegalStateException" : refusal(() -> kept.fill((byte) 1));
      return List.of(stamped(context.allocate(SEGMENT), next++), ended);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"POOL", "RING"})
  void whatIsAllocatedAndNotYieldedEndsWithThePass(Way way) {
    WorkerSource<Object> source = context -> () -> new AllocatesTooMuch(context);
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      for (int pass = 0; pass < 6; pass++) {
        Iterator<Lease<Object>> leases = items.leases().iterator();
        for (int index = 0; index < 3; index++) {
          try (Lease<Object> lease = leases.next()) {
            List<?> item = (List<?>) lease.item();
            Stamps.verify((MemorySegment) item.get(0), index, 0);
            assertEquals("IllegalStateException", item.get(1));
          }
        }
        if (pass % 2 == 1) {
          assertThrows(WorkerFailedException.class, leases::next);
        }
        assertFalse(leases.hasNext());
      }
      items.arena().ifPresent(arena -> assertEquals(18, arena.stats().published()));
    }
  }

  @Test
  void leavingWhileTheWorkerHasAllocatedOrWaitsToAllocateLeavesNothing() {
    WorkerSource<Object> source =
        counting(9, (context, index) -> stamped(context.allocate(SEGMENT), index));
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      for (int pass = 0; pass < 20; pass++) {
        Iterator<Lease<Object>> leases = items.leases().iterator();
        for (int index = 0; index <= pass % 3; index++) {
          verify(leases.next(), index);
        }
      }
      assertEquals(9, verifyAll(items));
      assertEquals(0, items.arena().orElseThrow().stats().held());
    }
  }

  @Test
  void sourceThatWrapsTheEndOfItsWaitLeavesThePassLikeAnyOther() throws Exception {
    String sign = folder.resolve("third").toString();
    WorkerSource<Object> source =
        counting(
            9,
            (context, index) -> {
              if (index == 2 && !Files.exists(Path.of(sign))) {
                Files.createFile(Path.of(sign));
              }
              try {
                return stamped(context.allocate(SEGMENT), index);
              } catch (RuntimeException e) {
                throw new IllegalStateException("wrapped", e);
              }
            });
    try (SubprocessIterable<Object> items = pooled(source, 2)) {
      Iterator<Lease<Object>> first = items.leases().iterator();
      Lease<Object> one = first.next();
      Lease<Object> two = first.next();
      await(Path.of(sign));
      FutureTask<Integer> second = Deadlines.start("second pass", () -> verifyAll(items));
      Deadlines.pause(Duration.ofMillis(200)); // or the two leases go back too early to matter
      verify(one, 0);
      verify(two, 1);
      assertEquals(9, Deadlines.result(second));
      assertEquals(0, items.stats().failures());
    }
  }

  @Test
  void sourceThatGoesOnWhateverItIsToldSeesTheStopOfAPassThatLackedSpace() throws Exception {
    String sign = folder.resolve("stopped").toString();
    WorkerSource<Object> source =
        counting(
            9,
            (context, index) -> {
              while (!context.stopRequested()) {
                try {
                  return stamped(context.allocate(SEGMENT), index);
                } catch (RuntimeException e) {
                  LOG.log(System.Logger.Level.TRACE, "the source tries again", e);
                }
              }
              Files.createFile(Path.of(sign));
              throw new IllegalStateException("the source was told to stop");
            });
    SharedMemoryArena arena =
        SharedMemorySegmentPool.builder(SEGMENT, 2).acquireTimeout(Duration.ofMillis(100)).build();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            source,
            SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED).arena(arena).build())) {
      Iterator<Lease<Object>> first = items.leases().iterator();
      Lease<Object> one = first.next();
      Lease<Object> two = first.next();
      assertThrows(AcquireTimeoutException.class, first::next);
      verify(one, 0);
      verify(two, 1);
      Iterator<Lease<Object>> second = items.leases().iterator();
      await(Path.of(sign)); // nothing but the stop has come to the worker until now
      for (int index = 0; index < 9; index++) {
        verify(second.next(), index);
      }
      assertFalse(second.hasNext());
    }
  }

  private static int verifyAll(SubprocessIterable<Object> items) {
    int index = 0;
    for (Lease<Object> taken : items.leases()) {
      verify(taken, index++);
    }
    return index;
  }

  @Test
  void lackOfSpaceIsToldInTheItemsPlaceAndTheItemComesWhenThereIsRoom() {
    SharedMemoryArena arena =
        SharedMemorySegmentPool.builder(SEGMENT, 2).acquireTimeout(Duration.ofMillis(100)).build();
    WorkerSource<Object> source =
        counting(5, (context, index) -> stamped(context.allocate(SEGMENT), index));
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            source,
            SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED).arena(arena).build())) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      Lease<Object> first = leases.next();
      Lease<Object> second = leases.next();
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
      assertEquals(2L, ((HoldfastFailure) full).facts().get("held"));
      verify(first, 0);
      verify(leases.next(), 2);
      verify(second, 1);
      verify(leases.next(), 3);
      verify(leases.next(), 4);
      assertFalse(leases.hasNext());
    }
  }

  @Test
  void workerKilledBetweenAllocatingAndYieldingIsReportedAndLeavesNothing() throws IOException {
    String sign = folder.resolve("allocated").toString();
    WorkerSource<Object> source =
        counting(
            3,
            (context, index) -> {
              MemorySegment memory = stamped(context.allocate(SEGMENT), index);
              if (index == 2) {
                Files.createFile(Path.of(sign));
                Deadlines.pause(Duration.ofMinutes(5));
              }
              return memory;
            });
    try (SubprocessIterable<Object> items = pooled(source, 3)) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      Lease<Object> first = leases.next();
      await(Path.of(sign));
      ProcessHandle.of(items.pid()).orElseThrow().destroyForcibly();
      verify(first, 0);
      verify(leases.next(), 1);
      assertThrows(WorkerDiedException.class, leases::next);
      assertEquals(2, items.arena().orElseThrow().stats().published());
    }
  }
}
