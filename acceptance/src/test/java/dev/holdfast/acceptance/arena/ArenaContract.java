package dev.holdfast.acceptance.arena;

import static dev.holdfast.arena.ViewScope.COLLECTED;
import static dev.holdfast.arena.ViewScope.CONFINED;
import static dev.holdfast.arena.ViewScope.SHARED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.SerialText;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every arena promises. A subclass says how to make one and which of the few {@link Traits} it
 * has. The number of the behaviour stands in a comment at its test.
 *
 * <p>Full means that {@code units} units of {@code unitBytes} bytes each are committed and not
 * given back.
 *
 * <table>
 *   <caption>Behaviours from B19 to B64 and from B91 to B119 that have no test here</caption>
 *   <tr><th>number</th><th>reason</th></tr>
 *   <tr><td>B30</td><td>arenas conform by implementing the interface; the suite of the arena written against
 *       exported packages only is the test</td></tr>
 *   <tr><td>B37</td><td>there is no packet format that ties its padding to the alignment; B36 tests that</td></tr>
 *   <tr><td>B45, B47, B48</td><td>the packed form of B33, B39 and B40, tested there through the traits</td></tr>
 *   <tr><td>B51</td><td>page-locked copies belong to the suite of the pinners</td></tr>
 *   <tr><td>B62</td><td>the bound of the queue belongs to the channel of the loader</td></tr>
 *   <tr><td>B64</td><td>a text that contradicted the code of the reference system; B53 tests what holds</td></tr>
 *   <tr><td>B98</td><td>a defect that B97 excludes</td></tr>
 *   <tr><td>B100 to B106</td><td>exporters of the reference system's native helper; in Java the scope of a view
 *       is what keeps its storage, and B91, B92 and B96 test it</td></tr>
 *   <tr><td>B114</td><td>B112 for arenas that copy</td></tr>
 *   <tr><td>B115</td><td>who owns an arena given to an iterable is the loader's matter</td></tr>
 *   <tr><td>B116</td><td>advice to users; each test here closes and unlinks by itself</td></tr>
 *   <tr><td>B117</td><td>regions of pipelines borrow their arenas; tested with them</td></tr>
 *   <tr><td>B118</td><td>a close that cannot finish needs a step that refuses, which no public call can add; tested
 *       next to the pool's own code</td></tr>
 * </table>
 */
@ExtendWith(Leftovers.class)
abstract class ArenaContract {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration AT_ONCE = Duration.ofSeconds(20);

  /**
   * How arenas may differ.
   *
   * @param zeroCopy views keep the arena's storage
   * @param emptyUnitTakesSpace a unit without bytes waits for space as any other
   * @param alignment of each binary's place in its unit; 1 when they are packed
   * @param longestUnitIsUnitBytes false when a unit may use the space of all
   * @param attaches another process can attach by the description, and no more after unlink
   */
  record Traits(
      boolean zeroCopy,
      boolean emptyUnitTakesSpace,
      long alignment,
      boolean longestUnitIsUnitBytes,
      boolean attaches) {

    long span(long... sizes) {
      long end = 0;
      for (long size : sizes) {
        end = (end + alignment - 1) / alignment * alignment + size;
      }
      return end;
    }
  }

  abstract SharedMemoryArena create(long unitBytes, int units, Duration acquireTimeout);

  abstract Traits traits();

  private Rig rig(long unitBytes, int units, Duration acquireTimeout) {
    return new Rig(create(unitBytes, units, acquireTimeout));
  }

  private Rig rig(long unitBytes, int units) {
    return rig(unitBytes, units, LONG);
  }

  private static void assertStillWaiting(FutureTask<?> task) {
    Deadlines.pause(Duration.ofMillis(150));
    assertFalse(task.isDone(), "it should wait");
  }

  private static <T extends Throwable> T assertOurs(Class<T> type, Throwable thrown) {
    assertEquals(type, thrown.getClass(), () -> String.valueOf(thrown));
    HoldfastFailure failure = (HoldfastFailure) thrown;
    assertFalse(failure.facts().isEmpty(), "no facts in " + thrown);
    failure
        .facts()
        .forEach((name, value) -> assertTrue(thrown.getMessage().contains(name + "=" + value)));
    return type.cast(thrown);
  }

  private static Duration timed(Runnable body) {
    long start = System.nanoTime();
    body.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  // B19
  @Test
  void writerOffersResetBeginWriteCommitAndAbort() {
    try (Rig rig = rig(4096, 3)) {
      ArenaWriter writer = rig.writer();
      writer.reset();
      writer.beginUnit();
      Placement placement = writer.writeBinary(Stamps.payload(100, 0, 0));
      assertEquals(100, placement.byteSize());
      UnitReceipt receipt = writer.commitUnit();
      assertEquals(rig.arena.arenaId(), receipt.arenaId());
      assertEquals(0, receipt.unit());
      writer.beginUnit();
      writer.abortUnit();
      assertEquals(1, writer.published());
    }
  }

  // B20
  @Test
  void callsOutsideAUnitAreIllegal() {
    try (Rig rig = rig(4096, 3)) {
      ArenaWriter writer = rig.writer();
      MemorySegment payload = Stamps.payload(8, 0, 0);
      assertThrows(IllegalStateException.class, () -> writer.writeBinary(payload));
      assertThrows(IllegalStateException.class, writer::commitUnit);
      writer.abortUnit();
      writer.beginUnit();
      assertThrows(IllegalStateException.class, writer::beginUnit);
      UnitReceipt ignored = writer.commitUnit();
      assertEquals(0, ignored.unit());
      assertThrows(IllegalStateException.class, writer::commitUnit);
      assertThrows(IllegalStateException.class, () -> writer.writeBinary(payload));
      rig.admitAndOpen(new Sent(ignored, List.of(), 0, 0), CONFINED).close();
      rig.passThrough(7, 512);
    }
  }

  // B21
  @Test
  void writeBinaryCopiesOnceAndLeavesTheSourceAlone() {
    try (Rig rig = rig(4096, 3)) {
      byte[] array = new byte[200];
      MemorySegment source = MemorySegment.ofArray(array).asSlice(50, 100).asReadOnly();
      Stamps.fill(MemorySegment.ofArray(array).asSlice(50, 100), 0, 0);
      byte[] before = array.clone();
      rig.writer().beginUnit();
      Placement placement = rig.writer().writeBinary(source);
      assertArrayEquals(before, array);
      Arrays.fill(array, (byte) -1);
      Sent sent = new Sent(rig.writer().commitUnit(), List.of(placement), 0, 0);
      rig.admitAndOpen(sent, CONFINED).close();
    }
  }

  // B22
  @Test
  void abortDropsOneUnitAndTouchesNoOther() {
    try (Rig rig = rig(4096, 3)) {
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      Sent committed = rig.write(1000);
      rig.writer().beginUnit();
      rig.writeBinaries(500, 500);
      rig.writer().abortUnit();
      assertEquals(2, rig.writer().published());
      Sent next = rig.write(4096);
      assertEquals(2, next.receipt().unit());
      held.verify().close();
      rig.admitAndOpen(committed, CONFINED).close();
      rig.admitAndOpen(next, CONFINED).close();
    }
  }

  // B23
  @Test
  void readerOffersResetAdmitReadAndEnd() {
    try (Rig rig = rig(4096, 3)) {
      ArenaReader reader = rig.reader();
      reader.reset();
      Sent sent = rig.admit(rig.write(100, 0, 300));
      OpenUnit open = reader.beginUnit(sent.receipt(), CONFINED);
      Placement third = sent.placements().get(2);
      MemorySegment view = open.readBinary(third.offset(), third.byteSize());
      Stamps.verify(view, 0, 2);
      Stamps.verify(open.peekBinary(third.offset(), third.byteSize()), 0, 2);
      UnitLease lease = open.endUnit(List.of());
      assertEquals(UnitLease.State.OPEN, lease.state());
      assertEquals(CONFINED, lease.scope());
      lease.close();
      assertEquals(UnitLease.State.CLOSED, lease.state());
      assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
    }
  }

  // B24
  @Test
  void zeroCopyTellsWhetherViewsAliasTheArena() {
    try (Rig rig = rig(4096, 2)) {
      assertEquals(traits().zeroCopy(), rig.reader().zeroCopy());
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      assertEquals(traits().zeroCopy() ? 0 : 1, rig.reclaimed());
      held.close();
      assertEquals(1, rig.reclaimed());
    }
  }

  // B25
  @Test
  void aRestoreThatFailedIsEndedOnceAndGivesItsUnitBack() {
    try (Rig rig = rig(4096, 2)) {
      for (ViewScope scope : ViewScope.values()) {
        Sent sent = rig.admit(rig.write(4096));
        OpenUnit open = rig.reader().beginUnit(sent.receipt(), scope);
        assertThrows(
            ArenaCorruptedException.class,
            () -> open.readBinary(sent.placements().getFirst().offset(), 4097));
        UnitLease lease = open.endUnit(List.of());
        assertThrows(IllegalStateException.class, () -> open.endUnit(List.of()));
        lease.close();
        long expected = sent.receipt().unit() + 1;
        Deadlines.assertEventually("the unit is back", () -> rig.reclaimed() == expected);
      }
    }
  }

  // B26
  @Test
  void anchorsStayReachableAsLongAsTheLease() {
    try (Rig rig = rig(4096, 2)) {
      for (ViewScope scope : ViewScope.values()) {
        for (boolean viewed : List.of(true, false)) {
          WeakReference<Object> anchor = anchorOfClosedLease(rig, scope, viewed);
          Deadlines.assertEventually(
              "the anchor goes with the lease",
              () -> {
                GcPressure.collect();
                return anchor.refersTo(null);
              });
        }
      }
      Deadlines.assertEventually("all are given back", () -> rig.reclaimed() == 6);
    }
  }

  private static WeakReference<Object> anchorOfClosedLease(
      Rig rig, ViewScope scope, boolean viewed) {
    Sent sent = rig.admit(rig.write(1000));
    OpenUnit open = rig.reader().beginUnit(sent.receipt(), scope);
    if (viewed) {
      Placement placement = sent.placements().getFirst();
      assertEquals(1000, open.readBinary(placement.offset(), placement.byteSize()).byteSize());
    }
    List<Object> strong = new ArrayList<>(List.of(new Object()));
    WeakReference<Object> anchor = new WeakReference<>(strong.getFirst());
    try (UnitLease lease = open.endUnit(List.of(strong.getFirst(), "another"))) {
      strong.clear();
      GcPressure.collect(2);
      assertFalse(anchor.refersTo(null), () -> "gone: " + lease.scope() + ", viewed: " + viewed);
    }
    return anchor;
  }

  // B27
  @Test
  void everyPassBeginsWithAResetOnBothSides() {
    try (Rig rig = rig(4096, 3)) {
      for (int pass = 0; pass < 4; pass++) {
        rig.nextEpoch();
        rig.passThrough(5, 4096);
      }
      assertEquals(20, rig.writer().published());
    }
  }

  // B28
  @Test
  void resetChangesNoCounterAndNoLease() {
    try (Rig rig = rig(4096, 3)) {
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      Sent admitted = rig.admit(rig.write(4096));
      long reclaimed = rig.reclaimed();
      rig.nextEpoch();
      assertEquals(2, rig.writer().published());
      assertEquals(reclaimed, rig.reclaimed());
      held.verify().close();
      rig.open(admitted, CONFINED).close();
      assertEquals(2, rig.reclaimed());
      rig.writer().beginUnit();
      rig.writer().reset();
      assertThrows(IllegalStateException.class, rig.writer()::commitUnit);
      assertEquals(2, rig.write(10).receipt().unit());
    }
  }

  // B29
  @Test
  void arenaOffersBothEndpointsShutdownCloseAndUnlink() {
    SharedMemoryArena arena = create(4096, 2, LONG);
    ArenaWriter writer = arena.openWriter();
    ArenaReader reader = arena.openReader();
    assertThrows(IllegalStateException.class, arena::openWriter);
    assertThrows(IllegalStateException.class, arena::openReader);
    writer.close();
    reader.close();
    arena.openWriter().close();
    arena.openReader().close();
    arena.shutdown();
    arena.close();
    arena.unlink();
    assertThrows(ArenaClosedException.class, arena::openWriter);
    assertThrows(ArenaClosedException.class, arena::openReader);
    assertThrows(ArenaClosedException.class, writer::beginUnit);
  }

  // B31
  @Test
  void nothingOfAUnitIsVisibleBeforeItsCommit() {
    try (Rig rig = rig(4096, 3)) {
      Sent first = rig.write(100);
      rig.writer().beginUnit();
      List<Placement> placements = rig.writeBinaries(100);
      assertEquals(1, rig.arena.stats().published());
      rig.admit(first);
      Sent early = first.withUnit(1);
      assertOurs(
          ArenaCorruptedException.class,
          assertThrows(ArenaCorruptedException.class, () -> rig.admit(early)));
      Sent second = new Sent(rig.writer().commitUnit(), placements, 1, 0);
      assertEquals(2, rig.arena.stats().published());
      rig.admitAndOpen(second, CONFINED).close();
      rig.open(first, CONFINED).close();
    }
  }

  // B32
  @Test
  void receiptsAreAdmittedInOrderAndUnitsOpenedInAny() {
    try (Rig rig = rig(4096, 4)) {
      List<Sent> sent = rig.writeMany(4, 1000);
      assertThrows(ArenaCorruptedException.class, () -> rig.admit(sent.get(1)));
      UnitReceipt own = sent.getFirst().receipt();
      UnitReceipt foreign =
          new UnitReceipt(new UUID(1, 2), own.generation(), own.unit(), own.span());
      assertThrows(ArenaCorruptedException.class, () -> rig.reader().admit(foreign));
      UnitReceipt old =
          new UnitReceipt(own.arenaId(), own.generation() + 1, own.unit(), own.span());
      assertThrows(ArenaCorruptedException.class, () -> rig.reader().admit(old));
      UnitReceipt nonsense = new UnitReceipt(own.arenaId(), own.generation(), own.unit(), -1);
      assertThrows(ArenaCorruptedException.class, () -> rig.reader().admit(nonsense));
      sent.forEach(rig::admit);
      assertThrows(ArenaCorruptedException.class, () -> rig.admit(sent.get(3)));
      for (int i : new int[] {2, 0, 3, 1}) {
        rig.open(sent.get(i), CONFINED).close();
      }
      assertThrows(IllegalStateException.class, () -> rig.open(sent.get(2), CONFINED));
      assertThrows(IllegalStateException.class, () -> rig.reader().discard(sent.get(2).receipt()));
    }
  }

  // B33, B45
  @Test
  void receiptTellsTheSpanWithTheGapsOfAlignment() {
    try (Rig rig = rig(4096, 3)) {
      for (long[] sizes : new long[][] {{10, 10}, {10, 40}, {0}, {1, 0, 64, 65, 1}, {}}) {
        Sent sent = rig.write(sizes);
        assertEquals(traits().span(sizes), sent.receipt().span());
        rig.admitAndOpen(sent, CONFINED).close();
      }
    }
  }

  // B34
  @Test
  void oneReleaseGivesTheWholeUnitBack() {
    try (Rig rig = rig(4096, 1, Duration.ZERO)) {
      Sent sent = rig.admit(rig.write(1024, 1024, 1024, 1024));
      assertThrows(AcquireTimeoutException.class, () -> rig.write(1));
      rig.open(sent, CONFINED).close();
      rig.admitAndOpen(rig.write(4096), CONFINED).close();
    }
  }

  // B35
  @Test
  void countersAreAbsoluteAndOnlyGrow() {
    try (Rig rig = rig(4096, 3, Duration.ZERO)) {
      for (int i = 0; i < 50; i++) {
        assertEquals(i, rig.reclaimed());
        Sent sent = rig.write(4096);
        assertEquals(i, sent.receipt().unit());
        assertEquals(i + 1, rig.arena.stats().published());
        rig.admitAndDiscard(sent);
      }
      List<Sent> sent = rig.writeMany(3, 4096);
      assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      assertEquals(53, rig.writer().published());
      sent.forEach(rig::admitAndDiscard);
      assertEquals(53, rig.reclaimed());
    }
  }

  // B36
  @Test
  void everyBinaryArrivesOnA64ByteBoundary() {
    try (Rig rig = rig(4096, 3)) {
      for (int i = 0; i < 10; i++) {
        Opened opened = rig.admitAndOpen(rig.write(1 + i, 3, 100, 65), CONFINED);
        for (int k = 0; k < 4; k++) {
          assertEquals(0, opened.sent().placements().get(k).offset() % traits().alignment());
          assertEquals(0, opened.views().get(k).address() % 64);
        }
        opened.close();
      }
    }
  }

  // B38
  @Test
  void unitThatCanNeverFitIsRefusedAtOnceAndTheArenaStaysUsable() {
    try (Rig rig = rig(100, 1)) {
      for (long[] sizes : new long[][] {{101}, {60, 41}, {30, 30, 41}, {1 << 20}, {10, 40}}) {
        if (traits().span(sizes) <= 100) {
          continue;
        }
        rig.writer().beginUnit();
        Duration taken =
            timed(
                () ->
                    assertOurs(
                        UnitTooLargeException.class,
                        assertThrows(UnitTooLargeException.class, () -> rig.writeBinaries(sizes))));
        assertTrue(taken.compareTo(AT_ONCE) < 0, taken::toString);
        rig.writer().abortUnit();
        assertEquals(rig.writer().published(), rig.reclaimed());
        rig.admitAndOpen(rig.write(100), CONFINED).close();
      }
    }
  }

  // B39, B47
  @Test
  void unitExactlyAsLargeAsItsLimitFits() {
    try (Rig rig = rig(1000, 3)) {
      long longest = traits().longestUnitIsUnitBytes() ? 1000 : 3000;
      for (int i = 0; i < 7; i++) {
        rig.admitAndOpen(rig.write(longest), CONFINED).close();
        rig.admitAndOpen(rig.write(longest - 1), CONFINED).close();
      }
      rig.writer().beginUnit();
      assertThrows(UnitTooLargeException.class, () -> rig.writeBinaries(longest + 1));
      rig.writer().abortUnit();
    }
  }

  // B40, B48
  @Test
  void unitWithoutBinariesWaitsForSpaceOnlyWhereItTakesSome() {
    try (Rig rig = rig(4096, 2, Duration.ZERO)) {
      List<Sent> full = new ArrayList<>(rig.writeMany(2, 4096));
      if (traits().emptyUnitTakesSpace()) {
        assertThrows(AcquireTimeoutException.class, () -> rig.write());
      } else {
        full.add(rig.write());
      }
      full.forEach(rig::admitAndDiscard);
      Sent empty = rig.admit(rig.write());
      assertEquals(0, empty.receipt().span());
      UnitLease lease = rig.reader().beginUnit(empty.receipt(), COLLECTED).endUnit(List.of());
      assertEquals(rig.writer().published(), rig.reclaimed());
      lease.close();
    }
  }

  // B41
  @Test
  void binaryOfZeroBytesIsLegal() {
    try (Rig rig = rig(4096, 2)) {
      Sent sent = rig.admit(rig.write(0));
      assertEquals(0, sent.placements().getFirst().byteSize());
      assertEquals(0, sent.receipt().span());
      Opened opened = rig.open(sent, COLLECTED);
      assertEquals(0, opened.view().byteSize());
      opened.lease().close();
      assertEquals(1, rig.reclaimed());
      Sent mixed = rig.write(0, 64, 0, 1, 0);
      rig.admitAndOpen(mixed, CONFINED).close();
    }
  }

  // B42
  @Test
  void unitsRotateThroughTheWholeArena() {
    try (Rig rig = rig(4096, 3)) {
      List<Long> addresses = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
        addresses.add(opened.view().address());
        opened.close();
      }
      if (traits().zeroCopy()) {
        assertEquals(3, addresses.stream().distinct().count());
        for (int i = 3; i < addresses.size(); i++) {
          assertEquals(addresses.get(i - 3), addresses.get(i));
        }
      }
    }
  }

  // B43
  @Test
  void abortedStorageGoesToTheNextUnit() {
    try (Rig rig = rig(4096, 2, Duration.ZERO)) {
      Sent other = rig.write(4096);
      for (int i = 0; i < 10; i++) {
        rig.writer().beginUnit();
        List<Placement> first = rig.writeBinaries(4096);
        rig.writer().abortUnit();
        rig.writer().beginUnit();
        assertEquals(first, rig.writeBinaries(4096));
        rig.writer().abortUnit();
      }
      assertEquals(1, rig.writer().published());
      Sent last = rig.write(4096);
      rig.admitAndOpen(other, CONFINED).close();
      rig.admitAndOpen(last, CONFINED).close();
    }
  }

  // B43
  @Test
  void storageOfAUnitThatIsOpenWhenItsWriterIsClosedGoesToTheNextWriter() {
    try (Rig rig = rig(4096, 2, Duration.ZERO)) {
      Sent before = rig.write(4096);
      rig.writer().beginUnit();
      List<Placement> dropped = rig.writeBinaries(4096);
      rig.writer().close();
      assertThrows(IllegalStateException.class, rig.writer()::commitUnit);
      try (ArenaWriter next = rig.arena.openWriter()) {
        assertEquals(1, next.published());
        next.beginUnit();
        Placement place = next.writeBinary(Stamps.payload(4096, 77, Sent.epochOf(0, 0)));
        assertEquals(dropped, List.of(place));
        Sent after = new Sent(next.commitUnit(), List.of(place), 77, 0);
        rig.admitAndOpen(before, CONFINED).close();
        rig.admitAndOpen(after, CONFINED).close();
      }
    }
  }

  // B44
  @Test
  void oddSizesComeBackInOnePieceAcrossManyWraps() {
    try (Rig rig = rig(1000, 3)) {
      Random random = new Random(44);
      for (int i = 0; i < 500; i++) {
        long[] sizes = {random.nextInt(300), random.nextInt(300), random.nextInt(200)};
        Opened opened = rig.admitAndOpen(rig.write(sizes), CONFINED);
        for (int k = 0; k < sizes.length; k++) {
          assertEquals(sizes[k], opened.views().get(k).byteSize());
        }
        opened.close();
      }
    }
  }

  // B46
  @Test
  void impossibleBinaryNeverWaitsForSpace() {
    try (Rig rig = rig(4096, 2)) {
      Sent full = rig.write(4096);
      rig.writer().beginUnit();
      long impossible = traits().longestUnitIsUnitBytes() ? 4097 : 8193;
      Duration taken =
          timed(
              () -> assertThrows(UnitTooLargeException.class, () -> rig.writeBinaries(impossible)));
      assertTrue(taken.compareTo(AT_ONCE) < 0, taken::toString);
      rig.writer().abortUnit();
      rig.admitAndOpen(full, CONFINED).close();
    }
  }

  // B49
  @Test
  void retainedViewNeverChangesWhileTheWriterGoesOn() {
    try (Rig rig = rig(4096, 4)) {
      for (int pass = 0; pass < 6; pass++) {
        rig.nextEpoch();
        Opened retained = rig.admitAndOpen(rig.write(4096), CONFINED);
        int others = traits().zeroCopy() ? 3 : 12;
        for (int i = 0; i < others; i++) {
          rig.admitAndDiscard(rig.write(4096));
        }
        retained.verify().close();
      }
    }
  }

  // B50
  @Test
  void hundredUnitsOf5000BytesPassThroughASmallArena() {
    try (Rig rig = rig(5000, 2)) {
      rig.passThrough(100, 5000);
      assertEquals(100, rig.reclaimed());
    }
  }

  // B52
  @Test
  void onlyViewsThatAliasTheArenaAreBoundedByIt() {
    try (Rig rig = rig(4096, 2, Duration.ZERO)) {
      List<Opened> retained = new ArrayList<>();
      for (int i = 0; i < (traits().zeroCopy() ? 2 : 20); i++) {
        retained.add(rig.admitAndOpen(rig.write(4096), CONFINED));
      }
      if (traits().zeroCopy()) {
        assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      }
      retained.forEach(opened -> opened.verify().close());
    }
  }

  // B53
  @Test
  void writerWaitsForSpaceAndGoesOnWhenThereIsSome() throws Exception {
    try (Rig rig = rig(4096, 2)) {
      List<Sent> full = rig.writeMany(2, 4096);
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      rig.admitAndOpen(full.getFirst(), CONFINED).close();
      Sent third = Deadlines.result(waiting);
      assertEquals(2, third.receipt().unit());
      rig.admitAndOpen(full.get(1), CONFINED).close();
      rig.admitAndOpen(third, CONFINED).close();
    }
  }

  // B54
  @Test
  void waitingCostsNextToNothingAndEndsPromptly() throws Exception {
    try (Rig rig = rig(4096, 1)) {
      Sent full = rig.admit(rig.write(4096));
      AtomicLong waiter = new AtomicLong();
      FutureTask<Long> waiting =
          Deadlines.start(
              "writer",
              () -> {
                waiter.set(Thread.currentThread().threadId());
                rig.write(4096);
                return System.nanoTime();
              });
      assertStillWaiting(waiting);
      var threads = ManagementFactory.getThreadMXBean();
      long before = threads.getThreadCpuTime(waiter.get());
      Deadlines.pause(Duration.ofSeconds(2));
      long used = threads.getThreadCpuTime(waiter.get()) - before;
      assertTrue(used < 100_000_000, "nanoseconds of CPU in 2 s: " + used);
      long released = System.nanoTime();
      rig.reader().discard(full.receipt());
      long after = Deadlines.result(waiting) - released;
      assertTrue(after < 2_000_000_000L, "nanoseconds until the writer went on: " + after);
    }
  }

  // B55
  @Test
  void waitEndsWithItsLimitAndSaysWhatItWaitedFor() {
    try (Rig rig = rig(4096, 2, Duration.ofMillis(200))) {
      List<Sent> full = rig.writeMany(2, 4096);
      long start = System.nanoTime();
      AcquireTimeoutException late =
          assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      assertOurs(AcquireTimeoutException.class, late);
      assertFalse(late.advice().isEmpty(), "no advice");
      assertTrue(taken.compareTo(Duration.ofMillis(199)) >= 0, taken::toString);
      assertTrue(taken.compareTo(AT_ONCE) < 0, taken::toString);
      full.forEach(rig::admitAndDiscard);
      assertEquals(2, rig.write(4096).receipt().unit());
    }
  }

  // B56
  @Test
  void limitOfZeroFailsAtOnceWhenFull() {
    try (Rig rig = rig(4096, 2, Duration.ZERO)) {
      List<Sent> full = rig.writeMany(2, 4096);
      for (int i = 0; i < 5; i++) {
        assertOurs(
            AcquireTimeoutException.class,
            assertThrows(AcquireTimeoutException.class, () -> rig.write(4096)));
        rig.writer().abortUnit();
      }
      rig.admitAndDiscard(full.getFirst());
      assertEquals(2, rig.write(4096).receipt().unit());
    }
  }

  // B57
  @Test
  void releaseBetweenTheTestAndTheWaitIsNotLost() throws Exception {
    int rounds = Rounds.of(20_000);
    try (Rig rig = rig(64, 1, Duration.ofSeconds(60))) {
      AtomicInteger slow = new AtomicInteger();
      SynchronousQueue<Sent> channel = new SynchronousQueue<>();
      FutureTask<Void> writing =
          Deadlines.start(
              "writer",
              () -> {
                for (int i = 0; i < rounds; i++) {
                  long start = System.nanoTime();
                  Sent sent = rig.write(64);
                  if (System.nanoTime() - start > 90_000_000) {
                    slow.incrementAndGet();
                  }
                  channel.put(sent);
                }
                return null;
              });
      Random random = new Random(57);
      for (int i = 0; i < rounds; i++) {
        Sent sent = channel.take();
        if (random.nextInt(4) != 0) {
          LockSupport.parkNanos(random.nextInt(60_000));
        }
        rig.admitAndDiscard(sent);
      }
      Deadlines.result(writing);
      assertTrue(slow.get() * 20 <= rounds, slow + " of " + rounds + " waits were slow");
    }
  }

  // B58
  @Test
  void shutdownEndsAWaitAtOnce() throws Exception {
    try (Rig rig = rig(4096, 1)) {
      Sent full = rig.write(4096);
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      rig.arena.shutdown();
      assertEquals(
          ArenaClosedException.class,
          assertThrows(IllegalStateException.class, () -> Deadlines.result(waiting)).getClass());
      rig.writer().abortUnit();
      assertThrows(ArenaClosedException.class, () -> rig.write(4096));
      rig.admitAndOpen(full, CONFINED).close();
    }
  }

  // B59
  @Test
  void shutdownIsRepeatableFromEitherProcess() throws Exception {
    try (Rig rig = rig(4096, 1)) {
      assertEquals(0, rig.write(4096).receipt().unit());
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      if (traits().attaches()) {
        try (RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
          remote.call("shutdown");
          remote.call("shutdown");
          remote.exit();
        }
      } else {
        rig.arena.shutdown();
      }
      assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
      rig.arena.shutdown();
      rig.arena.close();
      rig.arena.shutdown();
    }
  }

  // B60
  @Test
  void shutdownReleasesNothing() {
    try (Rig rig = rig(4096, 3)) {
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      Sent admitted = rig.admit(rig.write(4096));
      Sent sent = rig.write(4096);
      long reclaimed = rig.reclaimed();
      rig.arena.shutdown();
      assertEquals(reclaimed, rig.reclaimed());
      held.verify().close();
      rig.open(admitted, CONFINED).close();
      rig.admitAndOpen(sent, CONFINED).close();
      assertEquals(3, rig.reclaimed());
    }
  }

  // B61
  @Test
  void whatFitsWithoutWaitingIsStillWrittenAfterShutdown() {
    try (Rig rig = rig(4096, 2)) {
      rig.writer().beginUnit();
      List<Placement> placements = rig.writeBinaries(4096);
      rig.arena.shutdown();
      Sent open = new Sent(rig.writer().commitUnit(), placements, 0, 0);
      Sent fits = rig.write(4096);
      assertThrows(ArenaClosedException.class, () -> rig.write(4096));
      rig.admitAndOpen(open, CONFINED).close();
      rig.admitAndOpen(fits, CONFINED).close();
    }
  }

  // B63
  @Test
  void writerThatTimesOutNamesTheHolders() {
    try (Rig rig = rig(4096, 2, Duration.ofMillis(50))) {
      List<Sent> full = rig.writeMany(2, 4096);
      full.forEach(rig::admit);
      List<Opened> held = new ArrayList<>();
      if (traits().zeroCopy()) {
        full.forEach(sent -> held.add(rig.open(sent, CONFINED)));
      }
      AcquireTimeoutException late =
          assertThrows(AcquireTimeoutException.class, () -> rig.write(4096));
      assertFalse(late.facts().isEmpty());
      rig.writer().abortUnit();
      if (traits().zeroCopy()) {
        assertTrue(
            late.getMessage().toUpperCase(Locale.ROOT).contains("CONFINED"), late.getMessage());
        held.forEach(opened -> opened.verify().close());
      } else {
        full.forEach(sent -> rig.open(sent, CONFINED).close());
      }
      assertEquals(2, rig.write(4096).receipt().unit());
    }
  }

  // B91, R3
  @Test
  void everyKindOfAliasKeepsItsBytes() {
    for (Alias.Kind kind : Alias.KINDS) {
      try (Rig rig = rig(4096, 2, Duration.ZERO)) {
        Object alias = onlyAlias(rig, kind);
        GcPressure.collect(3);
        if (traits().zeroCopy()) {
          rig.write(4096);
          assertThrows(AcquireTimeoutException.class, () -> rig.write(4096), kind.name());
          assertEquals(0, rig.reclaimed(), kind.name());
        } else {
          rig.passThrough(5, 4096);
        }
        assertEquals(kind.expected(0, 0), kind.read().applyAsLong(alias), kind.name());
        alias = null;
        assertReclaimedAfterCollection(rig, 1);
      }
    }
  }

  private static Object onlyAlias(Rig rig, Alias.Kind kind) {
    return kind.make().apply(rig.admitAndOpen(rig.write(4096), COLLECTED).view());
  }

  private static void assertReclaimedAfterCollection(Rig rig, long atLeast) {
    Deadlines.assertEventually(
        "collected units come back",
        () -> {
          System.gc();
          return rig.reclaimed() >= atLeast;
        });
  }

  // B92
  @Test
  void droppingTheFirstWrapperFreesNothingWhileAViewRemains() {
    try (Rig rig = rig(4096, 2)) {
      MemorySegment[] slice = {rig.admitAndOpen(rig.write(4096), COLLECTED).view().asSlice(8, 8)};
      GcPressure.collect(3);
      assertEquals(traits().zeroCopy() ? 0 : 1, rig.reclaimed());
      assertEquals(Stamps.word(0, 0, 1), slice[0].get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      slice[0] = null;
      assertReclaimedAfterCollection(rig, 1);
    }
  }

  // B93
  @Test
  void reclaimAdvancesOverConsecutiveReleasesOnly() {
    try (Rig rig = rig(4096, 3)) {
      List<Sent> sent = rig.writeMany(3, 4096);
      sent.forEach(rig::admit);
      if (traits().zeroCopy()) {
        List<Opened> opened = new ArrayList<>();
        sent.forEach(one -> opened.add(rig.open(one, CONFINED)));
        opened.get(1).close();
        opened.get(2).close();
        assertEquals(0, rig.reclaimed());
        opened.get(0).verify().close();
      } else {
        rig.reader().discard(sent.get(1).receipt());
        rig.open(sent.get(2), CONFINED).close();
        assertEquals(0, rig.reclaimed());
        rig.reader().discard(sent.get(0).receipt());
      }
      assertEquals(3, rig.reclaimed());
    }
  }

  // B94
  @Test
  void writerNeverPassesOverAHeldUnit() throws Exception {
    try (Rig rig = rig(4096, 3)) {
      List<Sent> sent = rig.writeMany(3, 4096);
      sent.forEach(rig::admit);
      rig.reader().discard(sent.get(1).receipt());
      rig.reader().discard(sent.get(2).receipt());
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      Opened held = rig.open(sent.getFirst(), CONFINED);
      if (traits().zeroCopy()) {
        assertStillWaiting(waiting);
      }
      held.verify().close();
      Sent next = Deadlines.result(waiting);
      rig.admitAndOpen(next, CONFINED).close();
    }
  }

  // B95
  @Test
  void lateDoubleAndUnorderedReleasesCountOnce() {
    try (Rig rig = rig(4096, 8)) {
      Random random = new Random(95);
      for (int pass = 0; pass < 10; pass++) {
        List<Sent> sent = rig.writeMany(8, 4096);
        sent.forEach(rig::admit);
        List<Opened> opened = new ArrayList<>();
        sent.forEach(one -> opened.add(rig.open(one, CONFINED)));
        Collections.shuffle(opened, random);
        rig.nextEpoch();
        for (Opened one : opened) {
          one.lease().close();
          one.lease().close();
          assertTrue(one.lease().close(Duration.ZERO));
        }
        assertEquals(8L * (pass + 1), rig.reclaimed());
      }
    }
  }

  // B96
  @Test
  void unitComesBackWithTheLastOfItsOwners() {
    try (Rig rig = rig(4096, 2)) {
      Opened opened = rig.admitAndOpen(rig.write(1000, 1000), CONFINED);
      StorageHold first = opened.lease().hold();
      StorageHold second = opened.lease().hold();
      opened.close();
      assertThrows(IllegalStateException.class, opened.lease()::hold);
      first.close();
      first.close();
      Stamps.verify(second.segment().asSlice(0, 1000), 0, 0);
      assertEquals(traits().zeroCopy() ? 0 : 1, rig.reclaimed());
      second.close();
      Deadlines.assertEventually("the unit is back", () -> rig.reclaimed() == 1);
      assertThrows(IllegalStateException.class, second::segment);
    }
  }

  // B97
  @Test
  void viewOfAnEarlierPassStaysIntactAndItsReleaseCounts() {
    try (Rig rig = rig(4096, 3)) {
      Opened zero = rig.admitAndOpen(rig.write(4096), CONFINED);
      rig.admitAndOpen(rig.write(4096), CONFINED).close();
      rig.nextEpoch();
      assertEquals(traits().zeroCopy() ? 0 : 2, rig.reclaimed());
      Opened two = rig.admitAndOpen(rig.write(4096), CONFINED);
      zero.verify();
      zero.close();
      assertEquals(traits().zeroCopy() ? 2 : 3, rig.reclaimed());
      two.verify().close();
      rig.passThrough(7, 4096);
    }
  }

  // B99
  @Test
  void zeroCopyViewsReallyAlias() throws IOException {
    try (Rig rig = rig(4096, 3)) {
      rig.passThrough(4, 4096);
      Opened opened = rig.admitAndOpen(rig.write(4096), CONFINED);
      if (traits().zeroCopy()) {
        byte before = opened.view().get(ValueLayout.JAVA_BYTE, 77);
        SharedBytes.poke(opened.view(), 77, (byte) ~before);
        assertNotEquals(before, opened.view().get(ValueLayout.JAVA_BYTE, 77));
        SharedBytes.poke(opened.view(), 77, before);
      }
      opened.verify().close();
    }
  }

  // B107
  @Test
  void writerKeepsNoSourceAfterTheCopy() {
    try (Rig rig = rig(4096, 3)) {
      rig.writer().beginUnit();
      WeakReference<byte[]> source = writeAndForget(rig);
      GcPressure.collect();
      Deadlines.assertEventually(
          "the source is garbage",
          () -> {
            System.gc();
            return source.refersTo(null);
          });
      rig.writer().abortUnit();
    }
  }

  private static WeakReference<byte[]> writeAndForget(Rig rig) {
    byte[] source = new byte[1000];
    Placement placement = rig.writer().writeBinary(MemorySegment.ofArray(source));
    assertEquals(1000, placement.byteSize());
    return new WeakReference<>(source);
  }

  // B108
  @Test
  void closeAndUnlinkInvalidateNoView() {
    for (ViewScope scope : ViewScope.values()) {
      Opened opened;
      try (Rig rig = rig(4096, 3)) {
        opened = rig.admitAndOpen(rig.write(4096), scope);
        rig.arena.close();
        opened.verify();
        rig.arena.unlink();
        opened.verify();
      }
      opened.verify().close();
    }
  }

  // B109
  @Test
  void closeWakesTheWriterAndThrowsNothingForLiveViews() throws Exception {
    try (Rig rig = rig(4096, 2)) {
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      assertEquals(1, rig.admit(rig.write(4096)).receipt().unit());
      if (!traits().zeroCopy()) {
        assertEquals(2, rig.write(4096).receipt().unit());
      }
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      rig.arena.close();
      assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
      held.verify().close();
    }
  }

  // B110
  @Test
  void closeAndUnlinkMayBeRepeated() {
    SharedMemoryArena arena = create(4096, 2, LONG);
    arena.close();
    arena.close();
    arena.unlink();
    arena.unlink();
    arena.close();
    SharedMemoryArena other = create(4096, 2, LONG);
    other.unlink();
    other.unlink();
    other.close();
    other.close();
  }

  // B111
  @Test
  void nobodyCanAttachAfterUnlinkEvenWhileViewsLive() {
    try (Rig rig = rig(4096, 2)) {
      Opened held = rig.admitAndOpen(rig.write(4096), CONFINED);
      if (traits().attaches()) {
        String description = SerialText.of(rig.arena);
        rig.arena.unlink();
        try (RemoteEndpoint remote = RemoteEndpoint.start()) {
          remote.send("attach " + description);
          remote.send("writer");
          String first = remote.child().awaitLine("= ");
          String second = remote.child().awaitLine("= ");
          assertTrue(first.startsWith("FAILED") || second.startsWith("FAILED"), first + second);
          remote.exit();
        }
      }
      held.verify().close();
    }
  }

  // B112, B114
  @Test
  void heldViewReadsItsBytesAfterCloseAndUnlink() {
    Opened[] held = new Opened[1];
    try (Rig rig = rig(4096, 3)) {
      rig.passThrough(4, 4096);
      held[0] = rig.admitAndOpen(rig.write(4096), COLLECTED);
    }
    GcPressure.collect(3);
    held[0].verify();
    held[0].lease().close();
    held[0].verify();
    held[0] = null;
  }

  // B113
  @Test
  void lastReleaseAfterCloseFinishesTheCleanUp() {
    int before = Maps.ofArenas().size();
    Opened held = heldAfterCloseAndUnlink();
    if (traits().zeroCopy()) {
      assertEquals(before + 1, Maps.ofArenas().size());
    }
    held.verify().close();
    held.close();
    Deadlines.assertEventually(
        "the mapping has gone",
        () -> {
          System.gc();
          return Maps.ofArenas().size() <= before;
        });
  }

  private Opened heldAfterCloseAndUnlink() {
    try (Rig rig = rig(4096, 3)) {
      return rig.admitAndOpen(rig.write(4096), CONFINED);
    }
  }

  // B119
  @Test
  void mappingOutlivesEveryOwnerOfItsBytes() {
    StorageHold hold;
    try (Rig rig = rig(4096, 3)) {
      Opened shared = rig.admitAndOpen(rig.write(4096), SHARED);
      hold = shared.lease().hold();
      shared.close();
    }
    Stamps.verify(hold.segment().asSlice(0, 4096), 0, 0);
    assertEquals(4096, hold.buffer().remaining());
    hold.close();
    hold.close();
    assertThrows(IllegalStateException.class, hold::segment);
  }

  @Test
  void interruptEndsAWaitAndLosesNoUnit() throws Exception {
    try (Rig rig = rig(4096, 1)) {
      Sent full = rig.write(4096);
      AtomicInteger flag = new AtomicInteger();
      CountDownLatch started = new CountDownLatch(1);
      Thread[] waiter = new Thread[1];
      FutureTask<Throwable> waiting =
          Deadlines.start(
              "writer",
              () -> {
                waiter[0] = Thread.currentThread();
                started.countDown();
                Throwable thrown =
                    assertThrows(HoldfastInterruptedException.class, () -> rig.write(4096));
                flag.set(Thread.interrupted() ? 1 : 2);
                rig.writer().abortUnit();
                return thrown;
              });
      started.await();
      assertStillWaiting(waiting);
      waiter[0].interrupt();
      assertEquals(HoldfastInterruptedException.class, Deadlines.result(waiting).getClass());
      assertEquals(1, flag.get());
      rig.admitAndOpen(full, CONFINED).close();
      Sent next = rig.write(4096);
      assertEquals(1, next.receipt().unit());
      rig.admitAndOpen(next, CONFINED).close();
    }
  }

  @Test
  void whatTheWaitCheckThrowsEndsTheWait() throws Exception {
    try (Rig rig = rig(4096, 1)) {
      assertEquals(0, rig.write(4096).receipt().unit());
      AtomicInteger command = new AtomicInteger();
      rig.writer()
          .whileWaiting(
              () -> {
                if (command.get() == 1) {
                  throw new UnsupportedOperationException("stop");
                }
              });
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
      assertStillWaiting(waiting);
      command.set(1);
      rig.arena.wake();
      assertThrows(UnsupportedOperationException.class, () -> Deadlines.result(waiting));
      rig.writer().abortUnit();
    }
  }

  @Test
  void unitsPassFromAnotherProcessAndBackToIt() {
    if (!traits().attaches()) {
      return;
    }
    try (Rig there = rig(10_000, 3);
        Rig back = rig(10_000, 3);
        RemoteEndpoint writer = RemoteEndpoint.attach(there.arena);
        RemoteEndpoint reader = RemoteEndpoint.attach(back.arena)) {
      writer.call("writer");
      reader.call("reader");
      assertThrows(IllegalStateException.class, () -> there.arena.openWriter());
      for (int i = 0; i < 5; i++) {
        writer.write(3, 10_000).forEach(sent -> there.admitAndOpen(sent, CONFINED).close());
        for (Sent sent : back.writeMany(3, 9_999)) {
          reader.admitAndOpen(sent, CONFINED);
        }
        reader.call("verify");
        reader.call("release 0");
        reader.call("release 0");
        reader.call("release 0");
        assertEquals(3L * (i + 1), back.reclaimed());
      }
      writer.call("close-writer");
      reader.call("close-reader");
      there.passThrough(4, 10_000);
      back.passThrough(4, 10_000);
      writer.exit();
      reader.exit();
    }
  }
}
