package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Stamps;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Units that just fit, that never fit, and more units than there is room for. */
@SuppressWarnings({"ExposedPrivateType", "ArrayRecordComponent"}) // rows of tables
@ExtendWith(Leftovers.class)
@Timeout(300)
final class UnitSizesTest {
  private static final int CAPACITY = 50_001;

  /** The two arenas, whose largest unit is the same. */
  private enum Kind {
    POOL,
    RING;

    SharedMemoryArena make() {
      return switch (this) {
        case POOL -> new SharedMemorySegmentPool(CAPACITY, 3);
        case RING -> new SharedMemoryRingBuffer(CAPACITY);
      };
    }
  }

  private record Shape(String what, boolean fitsPool, boolean fitsRing, int... sizes)
      implements Serializable {
    boolean fits(Kind kind) {
      return kind == Kind.POOL ? fitsPool : fitsRing;
    }

    long sum() {
      return Arrays.stream(sizes).asLongStream().sum();
    }
  }

  private static List<Shape> shapes() {
    int third = CAPACITY / 3;
    return List.of(
        new Shape("one byte less", true, true, CAPACITY - 1),
        new Shape("all of it", true, true, CAPACITY),
        new Shape("one byte more", false, false, CAPACITY + 1),
        new Shape("twice as much", false, false, 2 * CAPACITY),
        new Shape(
            "three whose sum is one more", false, false, third, third, third + 1 + CAPACITY % 3),
        new Shape("gaps of alignment alone", false, true, 20_001, 20_001, CAPACITY - 40_002),
        new Shape("three that fit with their gaps", true, true, 16_384, 16_384, 16_384),
        new Shape("small ones beside a full one", true, true, CAPACITY, 100, 0));
  }

  private static WorkerSource<List<MemorySegment>> source() {
    List<Shape> shapes = new ArrayList<>(shapes());
    return Sizes.counting(
        shapes.size(),
        unit -> {
          List<MemorySegment> parts = new ArrayList<>();
          for (int size : shapes.get(unit).sizes()) {
            parts.add(Stamps.payload(size, unit, parts.size()));
          }
          return parts;
        });
  }

  // R28
  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatCanNeverFitIsATypedErrorAtOnceAndEverythingElseArrives(Kind kind) {
    try (SubprocessIterable<List<MemorySegment>> items =
        Subprocess.iterate(
            source(),
            SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED).arena(kind.make()).build())) {
      for (int pass = 0; pass < 3; pass++) {
        Iterator<Lease<List<MemorySegment>>> leases = items.leases().iterator();
        for (int unit = 0; unit < shapes().size(); unit++) {
          Shape shape = shapes().get(unit);
          if (shape.fits(kind)) {
            verify(leases.next(), shape, unit);
          } else {
            long start = System.nanoTime();
            UnitTooLargeException tooLarge =
                assertThrows(UnitTooLargeException.class, leases::next, shape::what);
            assertTrue(System.nanoTime() - start < 10_000_000_000L, shape::what);
            assertFacts(tooLarge, kind, unit, shape);
          }
        }
        assertFalse(leases.hasNext());
      }
    }
  }

  private static void verify(Lease<List<MemorySegment>> taken, Shape shape, int unit) {
    try (Lease<List<MemorySegment>> lease = taken) {
      for (int part = 0; part < shape.sizes().length; part++) {
        assertEquals(shape.sizes()[part], lease.item().get(part).byteSize(), shape::what);
        Stamps.verify(lease.item().get(part), unit, part);
      }
    }
  }

  private static void assertFacts(
      UnitTooLargeException tooLarge, Kind kind, int unit, Shape shape) {
    assertEquals((long) unit, tooLarge.facts().get("index"));
    long asked = (Long) tooLarge.facts().get("bytesAsked");
    long most = (Long) tooLarge.facts().get(kind == Kind.POOL ? "segmentSize" : "capacity");
    assertEquals(CAPACITY, most);
    assertTrue(asked > most && asked <= shape.sum() + 3 * 64, tooLarge::toString);
    assertTrue(tooLarge.facts().containsKey("arena"), tooLarge::toString);
  }

  // R29
  @Test
  void consumerThatAsksForOneMoreThanItMayHoldIsToldWhoHoldsThem() {
    SharedMemoryArena arena =
        SharedMemorySegmentPool.builder(CAPACITY, 4).acquireTimeout(Duration.ofMillis(300)).build();
    WorkerSource<MemorySegment> source =
        Sizes.counting(9, unit -> Stamps.payload(CAPACITY, unit, 0));
    try (SubprocessIterable<MemorySegment> items =
        Subprocess.iterate(
            source,
            SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED).arena(arena).build())) {
      Iterator<Lease<MemorySegment>> leases = items.leases().iterator();
      List<Lease<MemorySegment>> batch = new ArrayList<>();
      int unit = 0;
      for (int round = 0; round < 2; round++) {
        while (batch.size() < 4) {
          batch.add(leases.next());
          Stamps.verify(batch.getLast().item(), unit++, 0);
        }
        AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
        assertEquals(4L, full.facts().get("held"));
        assertEquals(4L, full.facts().get("segments"));
        assertEquals("[4 confined lease]", full.facts().get("holders"));
        assertTrue(full.advice().contains("make count larger than the units held plus"));
        batch.forEach(Lease::close);
        batch.clear();
      }
      try (Lease<MemorySegment> last = leases.next()) {
        Stamps.verify(last.item(), 8, 0);
      }
      assertFalse(leases.hasNext());
    }
  }

  // R29
  @Test
  void twoConsumersThatHoldTwoEachGetTheirNextWhenOneGivesBack() throws Exception {
    SharedMemoryArena arena =
        SharedMemorySegmentPool.builder(CAPACITY, 4).acquireTimeout(Duration.ofMillis(100)).build();
    WorkerSource<MemorySegment> source =
        Sizes.counting(24, unit -> Stamps.payload(CAPACITY, unit, 0));
    try (SubprocessIterable<MemorySegment> items =
        Subprocess.iterate(
            source,
            SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED).arena(arena).build())) {
      Iterator<Parcel<MemorySegment>> parcels = items.parcels().iterator();
      List<FutureTask<Integer>> consumers = new ArrayList<>();
      for (int consumer = 0; consumer < 2; consumer++) {
        consumers.add(Deadlines.start("consumer-" + consumer, () -> holdTwo(parcels)));
      }
      int taken = 0;
      for (FutureTask<Integer> consumer : consumers) {
        taken += Deadlines.result(consumer);
      }
      assertEquals(24, taken);
      assertEquals(24, items.arena().orElseThrow().stats().reclaimed());
    }
  }

  /**
   * Holds two and asks for a third; when there is none it gives its older one back, if the other
   * consumer has left it one.
   */
  private static int holdTwo(Iterator<Parcel<MemorySegment>> parcels) {
    List<Lease<MemorySegment>> held = new ArrayList<>();
    int taken = 0;
    while (true) {
      try {
        held.add(parcels.next().open(ViewScope.CONFINED));
        taken++;
      } catch (AcquireTimeoutException e) {
        assertEquals(4L, e.facts().get("held"), e::toString);
        if (!held.isEmpty()) {
          held.removeFirst().close();
        }
      } catch (NoSuchElementException e) {
        held.forEach(Lease::close);
        return taken;
      }
      if (held.size() > 2) {
        held.removeFirst().close();
      }
    }
  }
}
