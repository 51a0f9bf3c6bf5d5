package dev.holdfast.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The producer's side of tickets. */
@ExtendWith(Leftovers.class)
final class ReservationTest {
  private static final int SIZE = TicketRig.SIZE;
  private static final Duration LONG = Duration.ofMinutes(10);

  /** A thread that reads from a pipe into memory, until something is written to the pipe. */
  private record Reading(Pipe pipe, FutureTask<Integer> end) {
    static Reading into(MemorySegment memory) throws Exception {
      Pipe pipe = Pipe.open();
      ByteBuffer target = memory.asByteBuffer();
      AtomicReference<Thread> reader = new AtomicReference<>();
      FutureTask<Integer> end =
          Deadlines.start(
              "reading",
              () -> {
                reader.set(Thread.currentThread());
                return pipe.source().read(target);
              });
      Deadlines.assertEventually(
          "the read has begun",
          () -> {
            Thread thread = reader.get();
            if (thread == null) {
              return false;
            }
            StackTraceElement[] stack = thread.getStackTrace();
            return stack.length > 0 && stack[0].isNativeMethod();
          });
      return new Reading(pipe, end);
    }

    void finish() throws Exception {
      assertEquals(4, pipe.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4})));
      assertEquals(4, Deadlines.result(end));
      pipe.sink().close();
      pipe.source().close();
    }
  }

  // B182, R80
  @Test
  void allocationsBeginOnTheirAlignmentAndTheExtentRunsToTheEndOfTheLast() {
    try (TicketRig rig = new TicketRig(3)) {
      long[][] plans = {{1, 64}, {24, 8}, {3, 1}, {16, 64}, {2, 4096}, {5, 2}};
      for (int round = 0; round < 7; round++) {
        ArenaTicket ticket;
        long base = 0;
        long end = 0;
        List<Long> offsets = new ArrayList<>();
        try (ArenaReservation reservation = rig.pool.reserve()) {
          for (int i = 0; i < plans.length; i++) {
            MemorySegment view = reservation.allocate(plans[i][0], plans[i][1]);
            assertEquals(plans[i][0], view.byteSize());
            assertEquals(0, view.address() % plans[i][1]);
            base = i == 0 ? view.address() : base;
            offsets.add(view.address() - base);
            assertTrue(offsets.getLast() >= end, offsets::toString);
            end = offsets.getLast() + plans[i][0];
            Stamps.fill(view, i, round);
          }
          ticket = reservation.seal();
        }
        try (TicketLease lease = rig.pool.recover(ticket)) {
          assertEquals(end, lease.segment().byteSize());
          assertEquals(base, lease.segment().address(), "the bytes were copied");
          for (int i = 0; i < plans.length; i++) {
            Stamps.verify(lease.segment().asSlice(offsets.get(i), plans[i][0]), i, round);
          }
        }
      }
    }
  }

  // B181
  @Test
  void sizesAndAlignmentsThatCannotBeAreRefusedAndChangeNothing() {
    try (TicketRig rig = new TicketRig(1)) {
      ArenaTicket ticket;
      try (ArenaReservation reservation = rig.pool.reserve()) {
        for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
          assertThrows(IllegalArgumentException.class, () -> reservation.allocate(size));
          assertThrows(IllegalArgumentException.class, () -> reservation.allocateZeroed(size));
        }
        for (long alignment : new long[] {0, -64, 3, 65, 8192, Long.MIN_VALUE}) {
          assertThrows(IllegalArgumentException.class, () -> reservation.allocate(SIZE, alignment));
        }
        Stamps.fill(reservation.allocate(SIZE), 1, 0);
        ticket = reservation.seal();
      }
      assertThrows(IllegalArgumentException.class, () -> rig.pool.reserve(ViewScope.COLLECTED));
      rig.check(ticket, 1);
    }
  }

  // R28
  @Test
  void allocationThatDoesNotFitIsRefusedAtOnceWithItsNumbersAndTheReservationGoesOn() {
    try (TicketRig rig = new TicketRig(1, LONG)) {
      ArenaTicket ticket;
      try (ArenaReservation reservation = rig.pool.reserve()) {
        for (long size : new long[] {SIZE + 1, 2 * SIZE, Long.MAX_VALUE}) {
          UnitTooLargeException e =
              assertThrows(UnitTooLargeException.class, () -> reservation.allocate(size));
          assertEquals(size, e.facts().get("bytesAsked"));
          assertEquals((long) SIZE, e.facts().get("segmentSize"));
        }
        MemorySegment first = reservation.allocate(1);
        first.set(ValueLayout.JAVA_BYTE, 0, (byte) 7);
        UnitTooLargeException e =
            assertThrows(UnitTooLargeException.class, () -> reservation.allocate(SIZE - 63));
        assertEquals(64L + SIZE - 63, e.facts().get("bytesAsked"));
        assertThrows(UnitTooLargeException.class, () -> reservation.allocate(Long.MAX_VALUE));
        Stamps.fill(reservation.allocate(SIZE - 64), 5, 0);
        assertThrows(UnitTooLargeException.class, () -> reservation.allocate(1, 1));
        ticket = reservation.seal();
      }
      try (TicketLease lease = rig.pool.recover(ticket)) {
        assertEquals(SIZE, lease.segment().byteSize());
        assertEquals(7, lease.segment().get(ValueLayout.JAVA_BYTE, 0));
        Stamps.verify(lease.segment().asSlice(64), 5, 0);
      }
    }
  }

  @Test
  void zeroedMemoryIsZeroWhateverWasThereBefore() {
    try (TicketRig rig = new TicketRig(1)) {
      rig.check(rig.seal(-1), -1);
      try (ArenaReservation reservation = rig.pool.reserve()) {
        MemorySegment zeros = reservation.allocateZeroed(SIZE);
        assertEquals(-1, zeros.mismatch(MemorySegment.ofArray(new byte[SIZE])));
      }
    }
  }

  // B185, R15
  @ParameterizedTest
  @EnumSource(names = {"CONFINED", "SHARED"})
  void writingThroughAnyAliasAfterTheSealThrows(ViewScope scope) {
    try (TicketRig rig = new TicketRig(2)) {
      ArenaReservation reservation = rig.pool.reserve(scope);
      MemorySegment view = reservation.allocate(SIZE);
      MemorySegment slice = view.asSlice(8, 16);
      ByteBuffer buffer = view.asByteBuffer();
      IntBuffer ints = buffer.asIntBuffer();
      Stamps.fill(view, 3, 0);
      ArenaTicket ticket = reservation.seal();

      assertThrows(IllegalStateException.class, () -> view.set(ValueLayout.JAVA_BYTE, 0, (byte) 9));
      assertThrows(IllegalStateException.class, () -> slice.fill((byte) 9));
      assertThrows(IllegalStateException.class, () -> buffer.put(0, (byte) 9));
      assertThrows(IllegalStateException.class, () -> ints.put(0, 9));
      assertThrows(IllegalStateException.class, () -> reservation.allocate(1));
      assertThrows(IllegalStateException.class, reservation::seal);
      reservation.close();
      rig.check(ticket, 3);
    }
  }

  @Test
  void sealIsRefusedWhileAnotherThreadReadsIntoTheViewAndWorksLater() throws Exception {
    try (TicketRig rig = new TicketRig(1)) {
      ArenaReservation reservation = rig.pool.reserve(ViewScope.SHARED);
      MemorySegment view = reservation.allocate(SIZE);
      Stamps.fill(view, 4, 0);
      Reading reading = Reading.into(view.asSlice(0, 4));

      IllegalStateException refused = assertThrows(IllegalStateException.class, reservation::seal);
      assertTrue(refused.getMessage().contains("in use"), refused::getMessage);
      assertEquals(0, rig.pool.stats().published());
      assertTrue(TicketRig.isAccessible(view));
      assertThrows(AcquireTimeoutException.class, rig.pool::reserve);

      reading.finish();
      view.asSlice(0, 4).copyFrom(Stamps.payload(4, 4, 0));
      ArenaTicket ticket = reservation.seal();
      assertEquals(1, rig.pool.stats().published());
      assertFalse(TicketRig.isAccessible(view));
      rig.check(ticket, 4);
    }
  }

  // B183
  @Test
  void segmentOfAnAbortedReservationIsGivenOnOnlyWhenNothingWritesToItAnyMore() throws Exception {
    try (TicketRig rig = new TicketRig(1)) {
      ArenaReservation aborted = rig.pool.reserve(ViewScope.SHARED);
      MemorySegment view = aborted.allocate(SIZE);
      Reading reading = Reading.into(view.asSlice(0, 4));
      aborted.close();
      aborted.close();
      assertThrows(IllegalStateException.class, aborted::seal);
      assertThrows(AcquireTimeoutException.class, rig.pool::reserve);

      reading.finish();
      AtomicReference<ArenaTicket> ticket = new AtomicReference<>();
      Deadlines.assertEventually(
          "the segment is given on",
          () -> {
            try {
              ticket.set(rig.seal(6));
              return true;
            } catch (AcquireTimeoutException e) {
              return false;
            }
          });
      assertFalse(TicketRig.isAccessible(view));
      rig.check(ticket.get(), 6);
    }
  }

  // B183
  @Test
  void numberOfAnAbortedReservationGoesToTheNextOne() {
    try (TicketRig rig = new TicketRig(3)) {
      int rounds = 10;
      for (int round = 0; round < rounds; round++) {
        ArenaReservation first = rig.pool.reserve();
        ArenaReservation aborted = rig.pool.reserve();
        ArenaReservation last = rig.pool.reserve();
        long place = aborted.allocate(1).address();
        Stamps.fill(first.allocate(SIZE), 1, round);
        Stamps.fill(last.allocate(SIZE), 3, round);
        aborted.close();
        ArenaReservation next = rig.pool.reserve();
        MemorySegment again = next.allocate(SIZE);
        assertEquals(place, again.address());
        Stamps.fill(again, 2, round);
        List<ArenaTicket> tickets = List.of(first.seal(), next.seal(), last.seal());
        assertEquals(3L * (round + 1), rig.pool.stats().published());
        for (int i = 0; i < 3; i++) {
          try (TicketLease lease = rig.pool.recover(tickets.get(i))) {
            Stamps.verify(lease.segment(), i + 1, round);
          }
        }
      }
      assertEquals(3L * rounds, rig.pool.stats().reclaimed());
    }
  }

  @Test
  void publishedIsTheEndOfTheCompletePrefix() {
    try (TicketRig rig = new TicketRig(4)) {
      ArenaReservation first = rig.pool.reserve();
      ArenaReservation second = rig.pool.reserve();
      ArenaReservation third = rig.pool.reserve();
      rig.pool.discard(third.seal());
      assertEquals(0, rig.pool.stats().published());
      rig.pool.discard(first.seal());
      assertEquals(1, rig.pool.stats().published());
      rig.pool.discard(second.seal());
      assertEquals(3, rig.pool.stats().published());
      assertEquals(3, rig.pool.stats().reclaimed());
    }
  }

  @Test
  void openReservationStopsThePoolBehindItAndTheTimeoutNamesItWithItsAge() {
    try (TicketRig rig = new TicketRig(3)) {
      ArenaReservation open = rig.pool.reserve();
      rig.check(rig.seal(1), 1);
      ArenaTicket outstanding = rig.seal(2);
      Deadlines.pause(Duration.ofMillis(30));
      AcquireTimeoutException e = assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
      assertEquals("reservation", e.facts().get("oldestHolder"), e::getMessage);
      assertEquals(0L, e.facts().get("oldestUnit"));
      assertEquals(3L, e.facts().get("held"));
      assertEquals(Thread.currentThread().getName(), e.facts().get("oldestReservedBy"));
      assertTrue((long) e.facts().get("oldestAgeMillis") >= 25, e::getMessage);
      assertEquals(
          "[1 released behind a held one, 1 reservation, 1 ticket]", e.facts().get("holders"));
      open.close();
      ArenaTicket again = rig.seal(3);
      rig.check(outstanding, 2);
      rig.check(again, 3);
      rig.check(rig.seal(4), 4);
    }
  }

  // B184
  @Test
  void lostTicketKeepsItsSegmentAndTheTimeoutNamesIt() {
    try (TicketRig rig = new TicketRig(2)) {
      assertNotNull(rig.seal(1));
      ArenaTicket kept = rig.seal(2);
      GcPressure.collect(2);
      AcquireTimeoutException e = assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
      assertEquals("ticket", e.facts().get("oldestHolder"), e::getMessage);
      assertEquals("[2 ticket]", e.facts().get("holders"));
      assertTrue((long) e.facts().get("oldestAgeMillis") >= 0, e::getMessage);
      TicketLease lease = rig.pool.recover(kept);
      e = assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
      assertEquals("[1 confined lease, 1 ticket]", e.facts().get("holders"));
      lease.close();
      assertEquals(0, rig.pool.stats().reclaimed());
    }
  }

  @Test
  void confinedReservationBelongsToTheThreadThatMadeIt() throws Exception {
    try (TicketRig rig = new TicketRig(1)) {
      ArenaReservation reservation = rig.pool.reserve();
      MemorySegment view = reservation.allocate(SIZE);
      for (Runnable call :
          List.<Runnable>of(
              () -> reservation.allocate(1),
              reservation::seal,
              reservation::close,
              () -> view.fill((byte) 1))) {
        Deadlines.within(
            "call", Deadlines.GENEROUS, () -> assertThrows(WrongThreadException.class, call::run));
      }
      Stamps.fill(view, 1, 0);
      ArenaTicket ticket = reservation.seal();
      Deadlines.within(
          "close",
          Deadlines.GENEROUS,
          () -> {
            reservation.close();
            rig.check(ticket, 1);
            return null;
          });
    }
  }

  @Test
  void sharedReservationIsFilledBySeveralThreadsAndSealedByAnother() throws Exception {
    int rounds = Rounds.of(50);
    try (TicketRig rig = new TicketRig(2)) {
      for (int round = 0; round < rounds; round++) {
        ArenaReservation reservation = rig.pool.reserve(ViewScope.SHARED);
        List<FutureTask<Long>> fillers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          int stamp = i;
          fillers.add(
              Deadlines.start(
                  "filler",
                  () -> {
                    MemorySegment part = reservation.allocate(2048);
                    Stamps.fill(part, stamp, 0);
                    return part.address();
                  }));
        }
        List<Long> places = new ArrayList<>();
        for (FutureTask<Long> filler : fillers) {
          places.add(Deadlines.result(filler));
        }
        ArenaTicket ticket = Deadlines.within("seal", Deadlines.GENEROUS, () -> reservation.seal());
        long base = places.stream().mapToLong(Long::longValue).min().orElseThrow();
        try (TicketLease lease = rig.pool.recover(ticket)) {
          for (int i = 0; i < 3; i++) {
            Stamps.verify(lease.segment().asSlice(places.get(i) - base, 2048), i, 0);
          }
        }
      }
    }
  }

  @Test
  void whoeverWaitsGetsTheSegmentOfADroppedReservationWithoutAskingForACollection() {
    try (TicketRig rig = new TicketRig(1, Duration.ofSeconds(60))) {
      assertEquals(SIZE, rig.pool.reserve().allocate(SIZE).byteSize());
      rig.pool.reserve().close();
      assertTrue(rig.pool.stats().gcRequests() > 0, "nobody asked for a collection");
    }
  }

  @Test
  void droppedReservationGivesItsSegmentOnWhenNoViewIsLeft() {
    try (TicketRig rig = new TicketRig(1)) {
      for (ViewScope scope : List.of(ViewScope.CONFINED, ViewScope.SHARED)) {
        MemorySegment view = rig.pool.reserve(scope).allocate(SIZE);
        GcPressure.collect(2);
        assertThrows(AcquireTimeoutException.class, rig.pool::reserve);
        assertTrue(TicketRig.isAccessible(view));
        view = null;
        assertNull(view);
        Deadlines.assertEventually(
            "the segment is given on",
            () -> {
              GcPressure.collect();
              try {
                rig.pool.reserve().close();
                return true;
              } catch (AcquireTimeoutException e) {
                return false;
              }
            });
      }
    }
  }

  // R53
  @Test
  void waitForASegmentEndsWithShutdownInterruptCloseAndRelease() throws Exception {
    try (TicketRig rig = new TicketRig(1, LONG)) {
      ArenaTicket taken = rig.seal(1);
      FutureTask<ArenaTicket> released = waiting(() -> rig.seal(2));
      rig.pool.discard(taken);
      ArenaTicket second = Deadlines.result(released);

      AtomicReference<Thread> waiter = new AtomicReference<>();
      FutureTask<Boolean> interrupted =
          waiting(
              () -> {
                waiter.set(Thread.currentThread());
                assertThrows(HoldfastInterruptedException.class, rig.pool::reserve);
                return Thread.currentThread().isInterrupted();
              });
      waiter.get().interrupt();
      assertTrue(Deadlines.result(interrupted));

      rig.check(second, 2);
      ArenaReservation open = rig.pool.reserve(ViewScope.SHARED);
      FutureTask<ArenaTicket> afterAbort = waiting(() -> rig.seal(3));
      open.close();
      ArenaTicket third = Deadlines.result(afterAbort);

      FutureTask<ArenaClosedException> shutDown =
          waiting(() -> assertThrows(ArenaClosedException.class, rig.pool::reserve));
      rig.pool.shutdown();
      assertNotNull(Deadlines.result(shutDown));
      assertThrows(ArenaClosedException.class, rig.pool::reserve);
      rig.check(third, 3);
    }
    try (TicketRig rig = new TicketRig(1, LONG)) {
      assertNotNull(rig.seal(1));
      FutureTask<ArenaClosedException> closed =
          waiting(() -> assertThrows(ArenaClosedException.class, rig.pool::reserve));
      rig.pool.close();
      assertNotNull(Deadlines.result(closed));
    }
  }

  private static <T> FutureTask<T> waiting(Callable<T> body) {
    AtomicReference<Thread> thread = new AtomicReference<>();
    FutureTask<T> task =
        Deadlines.start(
            "waiting",
            () -> {
              thread.set(Thread.currentThread());
              return body.call();
            });
    Deadlines.assertEventually(
        "the thread waits",
        () -> {
          Thread waiter = thread.get();
          if (waiter == null) {
            return false;
          }
          for (StackTraceElement frame : waiter.getStackTrace()) {
            if (frame.getMethodName().equals("waitForSpace")) {
              return true;
            }
          }
          return false;
        });
    return task;
  }

  @Test
  void manyWaitingThreadsPlatformAndVirtualAreAllServed() throws Exception {
    int threads = 6;
    int each = Rounds.of(200);
    try (TicketRig rig = new TicketRig(2, LONG)) {
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        FutureTask<Void> task =
            new FutureTask<>(
                () -> {
                  for (int round = 0; round < each; round++) {
                    rig.check(rig.seal(round, 1000), round);
                  }
                  return null;
                });
        tasks.add(task);
        if (i % 2 == 0) {
          Thread.ofVirtual().name("test-virtual-" + i).start(task);
        } else {
          Thread.ofPlatform().daemon().name("test-platform-" + i).start(task);
        }
      }
      for (FutureTask<Void> task : tasks) {
        Deadlines.result(task);
      }
      assertEquals((long) threads * each, rig.pool.stats().published());
      assertEquals((long) threads * each, rig.pool.stats().reclaimed());
    }
  }

  @Test
  void openReservationSealsAfterShutdownAndIsReadableAfterCloseButNotSealed() {
    TicketRig rig = new TicketRig(3);
    ArenaReservation first = rig.pool.reserve();
    Stamps.fill(first.allocate(SIZE), 1, 0);
    ArenaReservation second = rig.pool.reserve();
    MemorySegment view = second.allocate(SIZE);
    Stamps.fill(view, 2, 0);
    rig.pool.shutdown();
    rig.check(first.seal(), 1);
    rig.close();
    Stamps.verify(view, 2, 0);
    assertThrows(ArenaClosedException.class, second::seal);
    assertThrows(ArenaClosedException.class, () -> second.allocate(1));
    Stamps.verify(view, 2, 0);
    second.close();
    assertFalse(TicketRig.isAccessible(view));
    assertThrows(ArenaClosedException.class, rig.pool::reserve);
  }
}
