package dev.holdfast.arena.internal.ring;

import static dev.holdfast.arena.ViewScope.COLLECTED;
import static dev.holdfast.arena.ViewScope.CONFINED;
import static dev.holdfast.arena.ViewScope.SHARED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class RingTest {
  private static final int SIZE = 100_000;
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());

  @Test
  void sizesThatCannotBeAreRefusedBeforeAnythingIsMade() {
    for (long capacity : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> SharedMemoryRingBuffer.builder(capacity));
      assertThrows(IllegalArgumentException.class, () -> new SharedMemoryRingBuffer(capacity));
    }
    assertThrows(IllegalArgumentException.class, () -> new SharedMemoryRingBuffer(Long.MAX_VALUE));
    assertThrows(
        InsufficientSharedMemoryException.class, () -> new SharedMemoryRingBuffer(1L << 50));
    SharedMemoryRingBuffer.Builder builder = SharedMemoryRingBuffer.builder(1);
    assertThrows(
        IllegalArgumentException.class, () -> builder.acquireTimeout(Duration.ofNanos(-1)));
    assertThrows(IllegalArgumentException.class, () -> builder.maxRetainedBytes(-1));
    assertThrows(NullPointerException.class, () -> builder.backing(null));
  }

  @Test
  void unitLargerThanTheRingIsRefusedAtOnceWithBothNumbers() { // R28
    try (RingRig rig = RingRig.of(1000)) {
      RingRig.Sent full = rig.write(999);
      for (int[] sizes : new int[][] {{1001}, {2000}, {1 << 20}}) {
        UnitTooLargeException e = assertThrows(UnitTooLargeException.class, () -> rig.write(sizes));
        assertEquals((long) sizes[0], e.facts().get("bytesAsked"));
        assertEquals(1000L, e.facts().get("capacity"));
      }
      rig.open(rig.admit(full), CONFINED).lease().close();
      UnitTooLargeException e =
          assertThrows(UnitTooLargeException.class, () -> rig.write(400, 400, 201));
      assertEquals(1001L, e.facts().get("bytesAsked"));
      rig.pass(CONFINED, 400, 400, 200).lease().close();
      rig.pass(CONFINED, 1000).lease().close();
    }
  }

  @Test
  void waitThatEndsSaysHowManyBytesWereNeededAndFree() { // B56
    try (RingRig rig = RingRig.of(1000)) {
      RingRig.Sent first = rig.write(700);
      rig.writer.beginUnit();
      Placement part = rig.writer.writeBinary(Stamps.payload(250, 1, 0));
      AcquireTimeoutException e =
          assertThrows(
              AcquireTimeoutException.class,
              () -> rig.writer.writeBinary(Stamps.payload(51, 1, 1)));
      assertEquals(51L, e.facts().get("neededBytes"));
      assertEquals(50L, e.facts().get("freeBytes"));
      assertEquals(250L, e.facts().get("openUnitBytes"));
      rig.open(rig.admit(first), CONFINED).lease().close();
      Placement rest = rig.writer.writeBinary(Stamps.payload(51, 1, 1));
      RingRig.Sent second = new RingRig.Sent(rig.writer.commitUnit(), List.of(part, rest));
      rig.open(rig.admit(second), CONFINED).lease().close();
    }
  }

  @Test
  void binariesArriveAlignedWhereverTheyLayInTheRing() { // R80
    int[] sizes = {1, 24, 3, 16, 2};
    List<int[]> orders = new ArrayList<>();
    permute(sizes, 0, orders);
    try (RingRig rig = RingRig.of(127)) {
      for (int[] order : orders) {
        RingRig.Kept kept = rig.pass(CONFINED, order);
        for (MemorySegment view : kept.views()) {
          assertEquals(0, view.address() % 64);
          if (view.byteSize() % 8 == 0) {
            assertEquals(
                view.get(ValueLayout.JAVA_LONG, 0),
                (long) ValueLayout.JAVA_LONG.varHandle().getVolatile(view, 0L));
          }
        }
        kept.lease().close();
      }
    }
  }

  private static void permute(int[] sizes, int from, List<int[]> found) {
    if (from == sizes.length) {
      found.add(sizes.clone());
      return;
    }
    for (int i = from; i < sizes.length; i++) {
      swap(sizes, from, i);
      permute(sizes, from + 1, found);
      swap(sizes, from, i);
    }
  }

  private static void swap(int[] sizes, int a, int b) {
    int kept = sizes[a];
    sizes[a] = sizes[b];
    sizes[b] = kept;
  }

  @Test
  void unitsWithoutBytesPassThroughAFullRing() { // B48, R82
    int rounds = Rounds.of(1_000_000);
    try (RingRig rig = RingRig.of(1000)) {
      RingRig.Sent full = rig.admit(rig.write(1000));
      for (int i = 0; i < rounds; i++) {
        RingRig.Sent empty = rig.admit(i % 2 == 0 ? rig.write() : rig.write(0, 0, 0));
        assertEquals(0, empty.receipt().span());
        RingRig.Kept kept = rig.open(empty, SCOPES.get(i % 3));
        kept.lease().close();
        if (i % 1000 == 999) {
          rig.open(full, CONFINED).lease().close();
          full = rig.admit(rig.write(300, 0, 700));
        }
      }
      assertThrows(AcquireTimeoutException.class, () -> rig.write(1));
      rig.open(full, CONFINED).lease().close();
      assertEquals(rig.ring.stats().published(), rig.ring.stats().reclaimed());
      assertEquals(0, rig.ring.stats().held());
    }
  }

  @Test
  void manyUnitsWithoutBytesMayBeOnTheirWay() { // R82
    int rounds = Rounds.of(50_000);
    try (RingRig rig = RingRig.of(10)) {
      List<RingRig.Sent> sent = new ArrayList<>();
      sent.add(rig.admit(rig.write(10)));
      for (int i = 0; i < rounds; i++) {
        sent.add(rig.admit(rig.write()));
      }
      assertEquals(rounds + 1, rig.ring.stats().held());
      Collections.shuffle(sent, new Random(82));
      sent.forEach(one -> rig.open(one, CONFINED).lease().close());
      assertEquals(rounds + 1, rig.ring.stats().reclaimed());
    }
  }

  @Test
  void hundredKeptOutputsOfARingForThreeUnitsStayRight() {
    try (RingRig rig = RingRig.of(3 * SIZE)) {
      List<RingRig.Kept> kept = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        kept.add(rig.pass(SCOPES.get(i % 3), 60_000, 1, SIZE - 60_001));
      }
      assertEquals(100, rig.ring.stats().reclaimed());
      assertTrue(rig.ring.stats().freshBytes() >= 100L * SIZE);
      rig.ring.close();
      rig.ring.unlink();
      kept.forEach(RingRig.Kept::verify);
      kept.forEach(one -> one.lease().close());
    }
  }

  @Test
  void everyOrderOfReleasesGivesEachBufferBackOnce() {
    for (int count = 1; count <= 5; count++) {
      int[] order = new int[count];
      for (int i = 0; i < count; i++) {
        order[i] = i;
      }
      List<int[]> orders = new ArrayList<>();
      permute(order, 0, orders);
      long size = 1 << 20;
      try (RingRig rig = RingRig.of(size)) {
        for (int[] one : orders) {
          List<RingRig.Kept> kept = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            kept.add(rig.pass(CONFINED, (int) size));
          }
          assertEquals(0, rig.ring.stats().retainedBytes());
          for (int i = 0; i < count; i++) {
            kept.get(one[i]).lease().close();
            kept.get(one[i]).lease().close();
            assertEquals((i + 1) * size, rig.ring.stats().retainedBytes());
          }
        }
        assertEquals(count * size, rig.ring.stats().freshBytes());
        assertEquals((orders.size() - 1L) * count * size, rig.ring.stats().recycledBytes());
      }
    }
  }

  @Test
  void releasesFromManyThreadsGiveEachBufferBackOnce() throws Exception {
    int rounds = Rounds.of(2_000);
    try (RingRig rig = RingRig.of(SIZE)) {
      ConcurrentLinkedQueue<RingRig.Kept> queue = new ConcurrentLinkedQueue<>();
      List<FutureTask<Void>> tasks = new ArrayList<>();
      boolean[] done = new boolean[1];
      for (int thread = 0; thread < 16; thread++) {
        tasks.add(
            Deadlines.start(
                "releaser",
                () -> {
                  while (true) {
                    RingRig.Kept kept = queue.poll();
                    if (kept != null) {
                      release(kept);
                    } else {
                      synchronized (done) {
                        if (done[0] && queue.isEmpty()) {
                          return null;
                        }
                      }
                      Thread.onSpinWait();
                    }
                  }
                }));
      }
      for (int i = 0; i < rounds; i++) {
        queue.add(rig.pass(SHARED, 5000, 95_000));
        while (queue.size() > 50) {
          Thread.onSpinWait();
        }
      }
      synchronized (done) {
        done[0] = true;
      }
      for (FutureTask<Void> task : tasks) {
        Deadlines.result(task);
      }
      Deadlines.assertEventually(
          "all buffers are idle",
          () -> rig.ring.stats().retainedBytes() == rig.ring.stats().freshBytes());
    }
  }

  private static void release(RingRig.Kept kept) {
    kept.verify();
    StorageHold hold = kept.lease().hold();
    StorageHold ofView = StorageHold.of(kept.views().get(1).asSlice(10));
    kept.lease().close();
    hold.close();
    assertEquals(
        Stamps.word(kept.sent().unit(), 1, 2),
        ofView.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 6));
    ofView.close();
  }

  @Test
  void steadyPassesTakeNoFreshMemory() {
    try (RingRig rig = RingRig.of(SIZE)) {
      for (int i = 0; i < 10; i++) {
        rig.pass(CONFINED, SIZE).lease().close();
      }
      long fresh = rig.ring.stats().freshBytes();
      for (int i = 0; i < 1000; i++) {
        rig.pass(CONFINED, SIZE).lease().close();
      }
      assertEquals(fresh, rig.ring.stats().freshBytes());
      assertTrue(rig.ring.stats().recycledBytes() >= 1000L * SIZE);
    }
  }

  @Test
  void collectedOutputsAreUsedAgainAfterACollection() {
    try (RingRig rig = RingRig.of(1 << 20)) {
      passAndDrop(rig, COLLECTED);
      Deadlines.assertEventually(
          "the buffer is idle",
          () -> {
            System.gc();
            return rig.ring.stats().retainedBytes() == 1 << 20;
          });
      passAndDrop(rig, CONFINED);
      Deadlines.assertEventually(
          "the dropped lease is found",
          () -> {
            System.gc();
            return rig.ring.stats().leakedLeases() == 1;
          });
      assertEquals(1 << 20, rig.ring.stats().freshBytes());
    }
  }

  private static void passAndDrop(RingRig rig, ViewScope scope) {
    RingRig.Kept dropped = rig.pass(scope, 1 << 20);
    assertEquals(1, dropped.views().size());
  }

  @Test
  void whatIsOnlyLookedAtLeavesNothing() {
    try (RingRig rig = RingRig.of(10_000)) {
      Random random = new Random(3);
      for (int i = 0; i < 2000; i++) {
        rig.peek(rig.admit(rig.write(random.nextInt(5000), random.nextInt(5000))));
      }
      assertEquals(rig.ring.stats().freshBytes(), rig.ring.stats().retainedBytes());
      OpenUnit open = rig.reader.beginUnit(rig.admit(rig.write(10)).receipt(), COLLECTED);
      UnitLease lease = open.endUnit(List.of());
      assertEquals(2001, rig.ring.stats().reclaimed());
      lease.close();
    }
  }

  @Test
  void viewsAreReadOnlyUnlessAskedOtherwise() {
    try (RingRig rig = RingRig.of(1000)) {
      RingRig.Kept kept = rig.pass(CONFINED, 1000);
      assertTrue(kept.views().getFirst().isReadOnly());
      kept.lease().close();
    }
    try (RingRig rig =
        new RingRig(SharedMemoryRingBuffer.builder(1000).writableViews(true).build())) {
      RingRig.Kept kept = rig.pass(CONFINED, 1000);
      var _ = kept.views().getFirst().fill((byte) 7);
      rig.pass(CONFINED, 1000).lease().close();
      assertEquals(7, kept.views().getFirst().get(ValueLayout.JAVA_BYTE, 999));
      kept.lease().close();
    }
  }

  @Test
  void rangeOutsideItsUnitIsRefused() {
    try (RingRig rig = RingRig.of(1000)) {
      rig.pass(CONFINED, 800).lease().close();
      RingRig.Sent before = rig.admit(rig.write(100));
      RingRig.Sent sent = rig.admit(rig.write(300)); // at 900, passes the end
      OpenUnit open = rig.reader.beginUnit(sent.receipt(), CONFINED);
      for (long[] range :
          new long[][] {
            {899, 1},
            {200, 1},
            {201, 0},
            {900, 301},
            {0, 201},
            {950, 251},
            {-1, 1},
            {1000, 0},
            {900, -1},
            {900, Long.MAX_VALUE},
            {Long.MAX_VALUE, 1},
            {Long.MIN_VALUE, 1},
            {500, 10}
          }) {
        ArenaCorruptedException e =
            assertThrows(ArenaCorruptedException.class, () -> open.readBinary(range[0], range[1]));
        assertEquals(range[0], e.facts().get("offset"));
        assertThrows(ArenaCorruptedException.class, () -> open.peekBinary(range[0], range[1]));
      }
      assertEquals(0, open.readBinary(200, 0).byteSize());
      MemorySegment middle = open.readBinary(956, 100);
      assertEquals(Stamps.word(sent.unit(), 0, 7), middle.get(ValueLayout.JAVA_LONG, 0));
      UnitLease lease = open.endUnit(List.of());
      assertThrows(IllegalStateException.class, () -> open.readBinary(900, 1));
      lease.close();
      rig.open(before, CONFINED).lease().close();
    }
  }

  @Test
  void openUnitBelongsToItsThread() throws Exception {
    try (RingRig rig = RingRig.of(1000)) {
      OpenUnit open = rig.reader.beginUnit(rig.admit(rig.write(10)).receipt(), CONFINED);
      FutureTask<WrongThreadException> other =
          Deadlines.start(
              "other",
              () -> assertThrows(WrongThreadException.class, () -> open.endUnit(List.of())));
      assertFalse(Deadlines.result(other).getMessage().isEmpty());
      open.endUnit(List.of()).close();
    }
  }

  @Test
  void holdsOutliveLeaseRingAndReader() {
    StorageHold hold;
    StorageHold empty;
    long unit;
    try (RingRig rig = RingRig.of(SIZE)) {
      RingRig.Kept kept = rig.pass(CONFINED, SIZE);
      unit = kept.sent().unit();
      ByteBuffer buffer = kept.views().getFirst().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      hold = StorageHold.of(buffer.position(8).slice());
      empty = StorageHold.of(kept.views().getFirst().asSlice(SIZE));
      kept.lease().close();
      assertThrows(IllegalStateException.class, () -> StorageHold.of(kept.views().getFirst()));
      for (int i = 0; i < 20; i++) {
        rig.pass(CONFINED, SIZE).lease().close();
      }
    }
    GcPressure.collect();
    assertEquals(Stamps.word(unit, 0, 1), hold.buffer().getLong(0));
    assertEquals(SIZE - 8, hold.segment().byteSize());
    assertEquals(0, empty.segment().byteSize());
    hold.close();
    empty.close();
    MemorySegment foreign = MemorySegment.ofAddress(4096);
    assertThrows(IllegalArgumentException.class, () -> StorageHold.of(foreign));
  }

  @Test
  void closingLeasesAreCountedUntilTheirViewsHaveEnded() {
    try (RingRig rig = RingRig.of(SIZE)) {
      RingRig.Kept kept = rig.pass(SHARED, SIZE);
      StorageHold hold = kept.lease().hold();
      assertTrue(kept.lease().close(Duration.ofSeconds(60)));
      assertEquals(0, rig.ring.stats().closingLeases());
      assertEquals(0, rig.ring.stats().retainedBytes());
      hold.close();
      assertTrue(rig.ring.stats().retainedBytes() > 0);
    }
  }

  @Test
  void anotherObjectForTheSameRingIsFoundByItsDescription() throws Exception {
    try (RingRig rig =
        new RingRig(
            SharedMemoryRingBuffer.builder(5000)
                .acquireTimeout(Duration.ofSeconds(3))
                .maxRetainedBytes(77)
                .build())) {
      SharedMemoryRingBuffer copy = throughSerialization(rig.ring);
      assertEquals(rig.ring.toString(), copy.toString());
      assertTrue(copy.toString().contains("5000"));
      assertEquals(5000, copy.capacity());
      assertEquals(Duration.ofSeconds(3), copy.acquireTimeout());
      assertEquals(77, copy.maxRetainedBytes());
      assertEquals(rig.ring.arenaBytes(), copy.arenaBytes());
      assertThrows(IllegalStateException.class, copy::openWriter);
      RingRig.Sent sent = rig.write(5000);
      rig.reader.close();
      try (var reader = copy.openReader()) {
        reader.admit(sent.receipt());
        reader.discard(sent.receipt());
      }
      assertEquals(1, copy.stats().reclaimed());
      copy.close();
    }
  }

  private static SharedMemoryRingBuffer throughSerialization(SharedMemoryRingBuffer ring)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(ring);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (SharedMemoryRingBuffer) in.readObject();
    }
  }

  @Test
  void outputsOfAFormerReaderStayCountedWhenALaterOneOpens() {
    try (RingRig rig = RingRig.of(1000)) {
      var kept = rig.open(rig.admit(rig.write(300)), CONFINED).lease();
      long fresh = rig.ring.stats().freshBytes();
      assertTrue(fresh > 0);
      rig.reader.close();
      try (var _ = rig.ring.openReader()) {
        assertEquals(fresh, rig.ring.stats().freshBytes());
      }
      kept.close();
    }
  }

  @Test
  void readerOfThePinnedObjectLocksItsCopiesThoughOneWithoutAPinnerCameFirst() throws Exception {
    try (RingRig rig =
        new RingRig(SharedMemoryRingBuffer.builder(1000).pinned(PagePinner.mlock()).build())) {
      rig.reader.close();
      SharedMemoryRingBuffer copy = throughSerialization(rig.ring);
      copy.openReader().close();
      assertFalse(rig.ring.isPinned());
      try (ArenaReader reader = rig.ring.openReader()) {
        RingRig.Sent sent = rig.write(1000);
        reader.admit(sent.receipt());
        OpenUnit open = reader.beginUnit(sent.receipt(), CONFINED);
        Stamps.verify(open.readBinary(0, 1000), 0, 0);
        UnitLease lease = open.endUnit(List.of());
        assertTrue(rig.ring.isPinned());
        lease.close();
      }
      copy.close();
    }
  }

  @Test
  void closedRingKeepsNoIdleMemoryThoughItsReaderIsOpen() {
    try (RingRig rig = RingRig.of(1 << 20)) {
      RingRig.Kept kept = rig.pass(CONFINED, 1 << 20);
      rig.pass(CONFINED, 1 << 20).lease().close();
      assertTrue(rig.ring.stats().retainedBytes() > 0);
      rig.ring.close();
      assertEquals(0, rig.ring.stats().retainedBytes());
      kept.verify();
      kept.lease().close();
      assertEquals(0, rig.ring.stats().retainedBytes());
    }
  }

  @Test
  void laterReaderGoesOnWhereTheFormerOneStopped() {
    try (RingRig rig = RingRig.of(1000)) {
      RingRig.Sent first = rig.admit(rig.write(300));
      RingRig.Sent second = rig.write(301);
      rig.open(first, CONFINED).lease().close();
      rig.reader.close();
      UnitReceipt receipt = second.receipt();
      try (var next = rig.ring.openReader()) {
        next.admit(receipt);
        OpenUnit open = next.beginUnit(receipt, CONFINED);
        Placement placement = second.placements().getFirst();
        Stamps.verify(open.readBinary(placement.offset(), placement.byteSize()), 1, 0);
        open.endUnit(List.of()).close();
      }
      rig.writer.close();
      try (var writer = rig.ring.openWriter()) {
        assertEquals(2, writer.published());
        writer.beginUnit();
        assertEquals(601, writer.writeBinary(Stamps.payload(1000, 2, 0)).offset());
        writer.abortUnit();
      }
    }
  }
}
