package dev.holdfast.acceptance.arena;

import static dev.holdfast.arena.ViewScope.COLLECTED;
import static dev.holdfast.arena.ViewScope.CONFINED;
import static dev.holdfast.arena.ViewScope.SHARED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How long the bytes of a pool's views last, in one process. */
@ExtendWith(Leftovers.class)
final class ViewLifetimeTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  // R5 (a), and the view that is kept through close and unlink
  @Test
  void viewKeptThroughCloseAndUnlinkIsReadableAndTheMappingGoesWithTheLastOne() {
    int before = Maps.ofArenas().size();
    Opened[] kept = keptAfterClose();
    assertEquals(before + 1, Maps.ofArenas().size());
    for (Alias.Kind kind : Alias.KINDS) {
      Object alias = kind.make().apply(kept[0].view());
      assertEquals(kind.expected(kept[0].sent().stamp(), 0), kind.read().applyAsLong(alias));
    }
    kept[0].verify();
    kept[1].verify().close();
    assertEquals(before + 1, Maps.ofArenas().size());
    kept[0] = null;
    Deadlines.assertEventually(
        "the mapping leaves the process",
        () -> {
          System.gc();
          return Maps.ofArenas().size() == before;
        });
  }

  private static Opened[] keptAfterClose() {
    try (Rig rig = Pools.rig(8192, 3)) {
      rig.passThrough(5, 8192);
      Opened collected = rig.admitAndOpen(rig.write(8192), COLLECTED);
      Opened confined = rig.admitAndOpen(rig.write(8192), CONFINED);
      return new Opened[] {collected, confined};
    }
  }

  // R5 (b)
  @Test
  void viewOutlivesTheDroppedArenaObject() {
    MemorySegment[] view = {viewOfDroppedArena()};
    GcPressure.collect(20);
    Stamps.verify(view[0], 0, 0);
    view[0] = null;
  }

  @SuppressWarnings("MustBeClosedChecker")
  private static MemorySegment viewOfDroppedArena() {
    Rig dropped = Pools.rig(8192, 3);
    return dropped.admitAndOpen(dropped.write(8192), COLLECTED).view();
  }

  // R5 (c)
  @Test
  void closeDuringAReadLoopNeitherFailsNorDisturbsTheReader() throws Exception {
    Rig rig = Pools.rig(8192, 3);
    AtomicBoolean reading = new AtomicBoolean();
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Void> reader =
        Deadlines.start(
            "reader",
            () -> {
              Opened opened = rig.admitAndOpen(rig.write(8192), CONFINED);
              while (!stop.get()) {
                opened.verify();
                reading.set(true);
              }
              opened.verify().close();
              return null;
            });
    Deadlines.assertEventually("it reads", reading::get);
    rig.close();
    Deadlines.pause(Duration.ofMillis(50));
    stop.set(true);
    Deadlines.result(reader);
  }

  // R6
  @Test
  void closingWithHeldViewsHidesNoErrorAndMayBeRepeated() {
    List<Opened> held = new ArrayList<>();
    Rig[] made = new Rig[1];
    IOException thrown =
        assertThrows(
            IOException.class,
            () -> {
              try (Rig rig = Pools.rig(4096, 3)) {
                made[0] = rig;
                for (int i = 0; i < 3; i++) {
                  held.add(rig.admitAndOpen(rig.write(4096), CONFINED));
                }
                throw new IOException("the first error");
              }
            });
    assertEquals("the first error", thrown.getMessage());
    assertEquals(0, thrown.getSuppressed().length);
    made[0].close();
    made[0].close();
    held.forEach(opened -> opened.verify().close());
    made[0].close();
  }

  @Test
  void closedLeaseMakesEveryAliasThrow() {
    for (Alias.Kind kind : Alias.KINDS) {
      try (Rig rig = Pools.rig(4096, 2)) {
        Opened confined = rig.admitAndOpen(rig.write(4096), CONFINED);
        Opened shared = rig.admitAndOpen(rig.write(4096), SHARED);
        Object ofConfined = kind.make().apply(confined.view());
        Object ofShared = kind.make().apply(shared.view());
        confined.close();
        shared.close();
        assertThrows(
            IllegalStateException.class, () -> kind.read().applyAsLong(ofConfined), kind.name());
        assertThrows(
            IllegalStateException.class, () -> kind.read().applyAsLong(ofShared), kind.name());
      }
    }
  }

  @Test
  void confinedLeaseIsClosedByItsThreadAndByAnyOnceItIsClosed() throws Exception {
    try (Rig rig = Pools.rig(4096, 2)) {
      Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
      FutureTask<Void> foreign =
          Deadlines.start(
              "foreign",
              () -> {
                opened.lease().close();
                return null;
              });
      assertThrows(WrongThreadException.class, () -> Deadlines.result(foreign));
      assertEquals(UnitLease.State.OPEN, opened.lease().state());
      opened.verify().close();
      FutureTask<Boolean> late =
          Deadlines.start("late", () -> opened.lease().close(Duration.ofSeconds(1)));
      assertTrue(Deadlines.result(late));
      assertEquals(1, rig.reclaimed());
    }
  }

  @Test
  void openUnitBelongsToTheThreadThatBeganIt() throws Exception {
    try (Rig rig = Pools.rig(4096, 2)) {
      Sent sent = rig.admit(rig.write(4096));
      OpenUnit open = rig.reader().beginUnit(sent.receipt(), CONFINED);
      FutureTask<MemorySegment> foreign = Deadlines.start("foreign", () -> open.readBinary(0, 8));
      assertThrows(WrongThreadException.class, () -> Deadlines.result(foreign));
      open.endUnit(List.of()).close();
      assertEquals(1, rig.reclaimed());
    }
  }

  // R8
  @Test
  void emptyBinaryHoldsNothingAndAnEmptySliceHoldsItsUnit() {
    try (Rig rig = Pools.rig(8192, 3)) {
      MemorySegment[] empty = {rig.admitAndOpen(rig.write(0, 1, 4096), COLLECTED).views().get(0)};
      for (int i = 0; i < 9; i++) {
        rig.passThrough(1, 8192);
      }
      assertEquals(10, reclaimedAfterCollections(rig, 10));
      assertEquals(0, empty[0].byteSize());

      MemorySegment[] one = {rig.admitAndOpen(rig.write(0, 1, 4096), COLLECTED).views().get(1)};
      rig.passThrough(2, 8192);
      GcPressure.collect(20);
      assertEquals(10, rig.reclaimed());
      Stamps.verify(one[0], 10, 1);
      one[0] = one[0].asSlice(1);
      GcPressure.collect(3);
      assertEquals(0, one[0].byteSize());
      assertEquals(10, rig.reclaimed());
      one[0] = null;
      assertEquals(13, reclaimedAfterCollections(rig, 13));
    }
  }

  private static long reclaimedAfterCollections(Rig rig, long atLeast) {
    Deadlines.assertEventually(
        "collected units come back",
        () -> {
          System.gc();
          return rig.reclaimed() >= atLeast;
        });
    return rig.reclaimed();
  }

  // R9
  @Test
  @SuppressWarnings("restricted")
  void rawAddressIsGoodAsLongAsItsHoldIsOpen() {
    try (Rig rig = Pools.rig(4096, 2, Duration.ZERO)) {
      Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
      StorageHold hold = StorageHold.of(opened.view().asSlice(64));
      long address = opened.view().address() + 64;
      opened.close();
      assertThrows(IllegalStateException.class, () -> StorageHold.of(opened.view()));
      rig.admitAndDiscard(rig.write(4096));
      assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      MemorySegment raw = MemorySegment.ofAddress(address).reinterpret(8);
      assertEquals(Stamps.word(0, 0, 8), raw.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      hold.close();
      assertEquals(2, rig.reclaimed());
      rig.passThrough(4, 4096);
    }
  }

  @Test
  void holdOnForeignMemoryIsRefusedAndOnTheHeapItKeepsTheArray() {
    try (Rig rig = Pools.rig(4096, 2);
        Arena foreign = Arena.ofConfined()) {
      MemorySegment outside = foreign.allocate(64);
      assertThrows(IllegalArgumentException.class, () -> StorageHold.of(outside));
      rig.passThrough(1, 64);
      StorageHold heap = StorageHold.of(ByteBuffer.allocate(100));
      assertEquals(100, heap.segment().byteSize());
      heap.close();
      assertThrows(IllegalStateException.class, heap::segment);
    }
  }

  @Test
  void holdFindsItsUnitWhereAnotherArenaWasMappedBefore() {
    for (int i = 0; i < 20; i++) {
      Rig small = Pools.rig(1 << 20, 1);
      small.passThrough(2, 4096);
      small.arena.close();
      small.close();
      try (Rig large = Pools.rig(1 << 20, 4)) {
        List<Opened> opened = new ArrayList<>();
        for (int unit = 0; unit < 4; unit++) {
          opened.add(large.admitAndOpen(large.write(4096), CONFINED));
        }
        for (Opened one : opened) {
          try (StorageHold hold = StorageHold.of(one.view())) {
            Stamps.verify(hold.segment(), one.sent().stamp(), 0);
          }
        }
        opened.forEach(Opened::close);
      }
    }
  }

  // R14
  @Test
  void viewsAreReadOnlyThroughEveryAlias() {
    try (Rig rig = Pools.rig(4096, 2)) {
      Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
      MemorySegment view = opened.view();
      ByteBuffer buffer = view.asByteBuffer();
      assertTrue(view.isReadOnly());
      assertThrows(IllegalArgumentException.class, () -> view.set(BYTE, 0, (byte) 1));
      assertThrows(IllegalArgumentException.class, () -> view.asSlice(8).fill((byte) 1));
      assertThrows(ReadOnlyBufferException.class, () -> buffer.put(0, (byte) 1));
      assertThrows(
          ReadOnlyBufferException.class,
          () -> buffer.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().put(0, 1f));
      assertThrows(ReadOnlyBufferException.class, () -> buffer.slice().put((byte) 1));
      assertThrows(
          IllegalArgumentException.class,
          () -> MemorySegment.ofBuffer(buffer).set(BYTE, 0, (byte) 1));
      try (StorageHold hold = opened.lease().hold()) {
        assertThrows(ReadOnlyBufferException.class, () -> hold.buffer().put(0, (byte) 1));
      }
      opened.verify().close();
      rig.passThrough(5, 4096);
    }
  }

  @Test
  void writableViewsChangeTheirOwnUnitOnly() {
    try (Rig rig = new Rig(SharedMemorySegmentPool.builder(4096, 3).writableViews(true).build())) {
      Opened first = rig.admitAndOpen(rig.write(4096), CONFINED);
      Opened second = rig.admitAndOpen(rig.write(4096), CONFINED);
      first.view().fill((byte) 7);
      assertEquals(7, first.view().get(BYTE, 4095));
      second.verify().close();
      first.close();
      rig.passThrough(5, 4096);
    }
  }

  // R15
  @Test
  void sourceMayChangeAfterEachWrite() {
    try (Rig rig = Pools.rig(4096, 4);
        Arena direct = Arena.ofConfined()) {
      for (MemorySegment source :
          List.of(MemorySegment.ofArray(new byte[4096]), direct.allocate(4096))) {
        for (int i = 0; i < 100; i++) {
          long unit = rig.writer().published();
          Stamps.fill(source, unit, 0);
          rig.writer().beginUnit();
          Placement placement = rig.writer().writeBinary(source);
          Sent sent = new Sent(rig.writer().commitUnit(), List.of(placement), unit, 0);
          source.fill((byte) -1);
          rig.admitAndOpen(sent, CONFINED).close();
        }
      }
    }
  }

  // R16
  @Test
  void onlyTheLogicalBytesOfALargeSourceTravel() {
    byte[] large = new byte[64 << 20];
    ByteBuffer direct = ByteBuffer.allocateDirect(64 << 20);
    for (int i = 0; i < 100; i++) {
      large[i + 5] = (byte) i;
      direct.put(i, (byte) i);
    }
    List<ByteBuffer> sources =
        List.of(
            ByteBuffer.wrap(large, 5, 1000).slice(),
            direct,
            direct.asReadOnlyBuffer(),
            direct.duplicate().order(ByteOrder.LITTLE_ENDIAN));
    try (Rig rig = Pools.rig(4096, 2)) {
      for (ByteBuffer source : sources) {
        source.position(10).limit(20);
        rig.writer().beginUnit();
        Placement ten = rig.writer().writeBinary(MemorySegment.ofBuffer(source));
        Placement sixteen =
            rig.writer().writeBinary(MemorySegment.ofArray(large).asSlice(5 + 16, 16));
        Sent sent = new Sent(rig.writer().commitUnit(), List.of(), 0, 0);
        assertEquals(10, ten.byteSize());
        assertEquals(16, sixteen.byteSize());
        assertEquals(10, source.position());
        assertEquals(20, source.limit());
        OpenUnit open = rig.reader().beginUnit(rig.admit(sent).receipt(), CONFINED);
        MemorySegment view = open.readBinary(ten.offset(), 10);
        MemorySegment slice = open.readBinary(sixteen.offset(), 16);
        for (int i = 0; i < 10; i++) {
          assertEquals(10 + i, view.get(BYTE, i));
          assertEquals(16 + i, slice.get(BYTE, i));
        }
        open.endUnit(List.of()).close();
      }
    }
  }

  @Test
  void sharedLeaseIsClosedByAnyThreadAndGivesBackWhenItsViewsHaveEnded() throws Exception {
    try (Rig rig = Pools.rig(4096, 2)) {
      Opened opened = rig.admitAndOpen(rig.write(4096), SHARED);
      FutureTask<Boolean> elsewhere =
          Deadlines.start(
              "elsewhere",
              () -> {
                opened.verify();
                opened.lease().close();
                return opened.lease().close(Duration.ofSeconds(60));
              });
      assertTrue(Deadlines.result(elsewhere));
      assertEquals(UnitLease.State.CLOSED, opened.lease().state());
      assertThrows(IllegalStateException.class, () -> opened.view().get(BYTE, 0));
      Deadlines.assertEventually("the unit is back", () -> rig.reclaimed() == 1);
      assertThrows(IllegalStateException.class, opened.lease()::hold);
    }
  }

  @Test
  void droppedLeaseIsFoundCountedAndGivenBack() {
    try (Rig rig = Pools.rig(4096, 3)) {
      dropLeases(rig);
      assertEquals(2, reclaimedAfterCollections(rig, 2));
      assertEquals(2, rig.arena.stats().leakedLeases());
      rig.passThrough(7, 4096);
    }
  }

  private static void dropLeases(Rig rig) {
    assertEquals(CONFINED, rig.admitAndOpen(rig.write(4096), CONFINED).lease().scope());
    assertEquals(SHARED, rig.admitAndOpen(rig.write(4096), SHARED).lease().scope());
  }

  @Test
  void waitingWriterGetsDroppedLeasesBackWithoutAnybodyAskingForACollection() throws Exception {
    try (Rig rig = Pools.rig(4096, 2)) {
      dropLeases(rig);
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      rig.admitAndOpen(Deadlines.result(waiting), CONFINED).close();
      assertTrue(rig.arena.stats().leakedLeases() > 0);
    }
  }

  @Test
  void droppedHoldIsReportedAndKeepsItsBytes() {
    try (ChildJvm child = ChildJvm.of(DroppedHoldChild.class).start()) {
      child.awaitLine("DONE");
      child.awaitSuccess();
      assertTrue(child.errorOutput().contains("hold"), child::errorOutput);
    }
  }

  /** Drops a hold, which would stay in the test's own process for ever. */
  static final class DroppedHoldChild {
    private DroppedHoldChild() {}

    public static void main(String[] arguments) {
      Rig rig = Pools.rig(4096, 2, Duration.ZERO);
      hold(rig);
      GcPressure.collect(5);
      Deadlines.pause(Duration.ofMillis(200));
      rig.admitAndDiscard(rig.write(4096));
      assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      assertEquals(0, rig.reclaimed());
      rig.close();
      Parent.say("DONE");
    }

    private static void hold(Rig rig) {
      Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
      StorageHold hold = opened.lease().hold();
      assertFalse(hold.segment().isMapped());
      opened.close();
    }
  }

  @Test
  void arenaBytesAndSizesAreWhatWasAsked() {
    try (Rig rig = Pools.rig(5000, 3)) {
      SharedMemorySegmentPool pool = (SharedMemorySegmentPool) rig.arena;
      assertEquals(5000, pool.segmentSize());
      assertEquals(3, pool.count());
      assertEquals(0, pool.arenaBytes() % 4096);
      assertTrue(pool.arenaBytes() >= 3 * 8192 + 4096);
      Opened opened = rig.admitAndOpen(rig.write(5000), CONFINED);
      assertEquals(0, opened.view().address() % 4096);
      assertSame(opened.verify(), opened);
      opened.close();
    }
  }

  @Test
  void badArgumentsAreRefusedBeforeAnythingIsMade() {
    assertThrows(IllegalArgumentException.class, () -> new SharedMemorySegmentPool(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new SharedMemorySegmentPool(1, 0));
    assertThrows(IllegalArgumentException.class, () -> new SharedMemorySegmentPool(-1, 1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new SharedMemorySegmentPool(Long.MAX_VALUE / 2, Integer.MAX_VALUE));
    assertThrows(
        IllegalArgumentException.class,
        () -> SharedMemorySegmentPool.builder(4096, 2).acquireTimeout(Duration.ofNanos(-1)));
  }
}
