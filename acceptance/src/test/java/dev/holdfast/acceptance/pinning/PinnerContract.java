package dev.holdfast.acceptance.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.device.Feed;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What every way to page-lock memory must do. */
@ExtendWith(Leftovers.class)
abstract class PinnerContract {
  private static final long PAGE = 4096;
  private static final long BUDGET = 4 << 20;

  /** Returns a pinner of the kind under test. */
  abstract PagePinner pinner(long budgetBytes);

  /**
   * Returns whether memory is page-locked: whoever locks it again is told that somebody else has.
   */
  private boolean isLocked(MemorySegment memory) {
    try (PagePinner.Registration probe = pinner(BUDGET).register(memory)) {
      return probe.isForeign();
    }
  }

  @Test
  void registeredMemoryIsLockedUntilTheRegistrationEnds() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(16 * PAGE, PAGE);
      assertFalse(isLocked(memory));
      PagePinner.Registration registration = pinner(BUDGET).register(memory);
      assertTrue(registration.isActive());
      assertFalse(registration.isForeign());
      assertEquals(16 * PAGE, registration.byteSize());
      assertTrue(isLocked(memory));
      registration.close();
      assertFalse(registration.isActive());
      assertFalse(isLocked(memory));
    }
  }

  @Test
  void closingAgainDoesNotEndWhatSomebodyElseBeganSince() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4 * PAGE, PAGE);
      PagePinner.Registration first = pinner(BUDGET).register(memory);
      first.close();
      try (PagePinner.Registration second = pinner(BUDGET).register(memory)) {
        first.close();
        assertTrue(second.isActive());
        assertTrue(isLocked(memory));
      }
    }
  }

  @Test
  void memoryThatSomebodyElseLockedCanBeUsedAndIsLeftAsItIs() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4 * PAGE, PAGE);
      try (PagePinner.Registration ofAnother = pinner(BUDGET).register(memory)) {
        PagePinner.Registration foreign = pinner(BUDGET).register(memory);
        assertTrue(foreign.isForeign());
        assertTrue(foreign.isActive());
        foreign.close();
        assertFalse(foreign.isActive());
        assertTrue(ofAnother.isActive());
        assertTrue(isLocked(memory));
      }
      assertFalse(isLocked(memory));
    }
  }

  @Test
  void nothingOfZeroBytesIsRegistered() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(PAGE, PAGE).asSlice(0, 0);
      try (PagePinner.Registration registration = pinner(1).register(memory)) {
        assertEquals(0, registration.byteSize());
        assertTrue(registration.isActive());
        assertFalse(registration.isForeign());
      }
    }
  }

  @Test
  void memoryThatCannotBeLockedIsABadArgument() {
    assertThrows(
        IllegalArgumentException.class,
        () -> pinner(BUDGET).register(MemorySegment.ofArray(new byte[4096])));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment inside = arena.allocate(2 * PAGE, PAGE).asSlice(64, PAGE);
      assertThrows(IllegalArgumentException.class, () -> pinner(BUDGET).register(inside));
    }
    MemorySegment freed;
    try (Arena ended = Arena.ofShared()) {
      freed = ended.allocate(PAGE, PAGE);
    }
    assertThrows(IllegalStateException.class, () -> pinner(BUDGET).register(freed));
    assertThrows(IllegalArgumentException.class, () -> pinner(0));
    assertThrows(IllegalArgumentException.class, () -> pinner(-1));
  }

  @Test
  void theBudgetIsKeptAndGivenBack() {
    PagePinner pinner = pinner(8 * PAGE);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment first = arena.allocate(6 * PAGE, PAGE);
      MemorySegment second = arena.allocate(3 * PAGE, PAGE);
      try (PagePinner.Registration _ = pinner.register(first)) {
        PinningException e = assertThrows(PinningException.class, () -> pinner.register(second));
        assertEquals(3 * PAGE, e.facts().get("askedBytes"));
        assertEquals(8 * PAGE, e.facts().get("budgetBytes"));
        assertEquals(6 * PAGE, e.facts().get("inUseBytes"));
        assertTrue(e.advice().contains("unpinned"), e.advice());
        assertFalse(isLocked(second));
      }
      try (PagePinner.Registration _ = pinner.register(second)) {
        assertTrue(isLocked(second));
      }
    }
  }

  @Test
  void manyThreadsRegisterAtATime() throws Exception {
    PagePinner pinner = pinner(BUDGET);
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      tasks.add(
          Deadlines.start(
              "pinning",
              () -> {
                try (Arena arena = Arena.ofConfined()) {
                  MemorySegment memory = arena.allocate(8 * PAGE, PAGE);
                  for (int i = 0; i < 50; i++) {
                    pinner.register(memory).close();
                  }
                }
                return null;
              }));
    }
    for (FutureTask<Void> task : tasks) {
      Deadlines.result(task);
    }
    try (Arena arena = Arena.ofConfined()) {
      pinner.register(arena.allocate(BUDGET, PAGE)).close(); // all of the budget is back
    }
  }

  @Test
  void aPoolIsPinnedFromItsReaderToItsLastView() {
    SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100_000, 3).pinned(pinner(BUDGET)).build();
    assertFalse(pool.isPinned());
    MemorySegment view;
    Feed.Received held;
    try (Feed feed = new Feed(pool)) {
      assertTrue(pool.isPinned());
      assertEquals(3 * 102_400, pool.pinnedBytes(), "segments rounded up to pages, no header");
      feed.overwrite(7, 50_000);
      held = feed.pass(ViewScope.SHARED, 100_000);
      view = held.tensors().getFirst().segment();
    }
    assertTrue(pool.isPinned(), "a view is alive");
    held.verify(0, held.tensors().getFirst());
    assertEquals(100_000, view.byteSize());
    held.lease().close();
    Deadlines.assertEventually("the last view has ended", () -> !pool.isPinned());
    assertEquals(0, pool.pinnedBytes());
  }

  @Test
  void anotherReaderOfTheSameProcessRegistersNothingMore() {
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100_000, 3).pinned(pinner(3 * 102_400)).build()) {
      for (int i = 0; i < 3; i++) {
        try (ArenaReader _ = pool.openReader()) {
          assertEquals(3 * 102_400, pool.pinnedBytes());
        }
      }
      pool.unlink();
    }
  }

  @Test
  void aRefusedPoolCanGoOnUnpinnedAndNothingIsLeftLocked() {
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100_000, 3).pinned(pinner(102_400)).build()) {
      for (int i = 0; i < 2; i++) {
        PinningException e = assertThrows(PinningException.class, pool::openReader);
        assertEquals(3L * 102_400, e.facts().get("askedBytes"));
        assertFalse(pool.isPinned());
      }
      pool.unlink();
    }
    try (Feed unpinned = new Feed(new SharedMemorySegmentPool(100_000, 3))) {
      unpinned.overwrite(7, 100_000);
    }
  }

  @Test
  void aRingsCopiesAreLockedWhileTheirMemoryIsMappedAndTheRingIsNot() {
    SharedMemoryRingBuffer ring =
        SharedMemoryRingBuffer.builder(300_000).pinned(pinner(BUDGET)).build();
    Feed.Received held;
    try (Feed feed = new Feed(ring)) {
      assertFalse(ring.isPinned(), "there are no copies yet");
      feed.overwrite(7, 50_000);
      held = feed.pass(ViewScope.SHARED, 100_000);
      assertTrue(ring.isPinned());
      assertTrue(ring.pinnedBytes() >= 100_000);
    }
    assertTrue(ring.isPinned(), "a copy is alive");
    held.verify(0, held.tensors().getFirst());
    held.lease().close();
    Deadlines.assertEventually("the last copy has ended", () -> !ring.isPinned());
    assertEquals(0, ring.pinnedBytes());
  }

  @Test
  void aRingWhoseCopiesAreRefusedLosesNothing() {
    SharedMemoryRingBuffer ring =
        SharedMemoryRingBuffer.builder(300_000).pinned(pinner(PAGE)).build();
    try (Feed feed = new Feed(ring)) {
      for (int i = 0; i < 4; i++) { // each span is given back all the same, or the ring would fill
        PinningException e =
            assertThrows(PinningException.class, () -> feed.pass(ViewScope.CONFINED, 100_000));
        assertEquals(PAGE, e.facts().get("budgetBytes"));
      }
      assertFalse(ring.isPinned());
    }
  }

  @Test
  void aRingsDroppedCopiesMakeRoomUnderTheBudget() {
    SharedMemoryRingBuffer ring =
        SharedMemoryRingBuffer.builder(300_000).pinned(pinner(BUDGET)).build();
    try (Feed feed = new Feed(ring)) {
      for (int i = 0; i < 3 * BUDGET / 100_000; i++) {
        assertEquals(i, feed.pass(ViewScope.COLLECTED, 100_000).unit());
      }
      assertTrue(ring.stats().gcRequests() > 0);
      assertTrue(ring.pinnedBytes() <= BUDGET);
    }
  }

  @Test
  void pinningIsOffUnlessAskedFor() {
    SharedMemorySegmentPool pool = new SharedMemorySegmentPool(100_000, 3);
    try (Feed feed = new Feed(pool)) {
      feed.overwrite(2, 100);
      assertFalse(pool.isPinned());
      assertEquals(0, pool.pinnedBytes());
    }
    assertThrows(
        NullPointerException.class, () -> SharedMemorySegmentPool.builder(1, 1).pinned(null));
  }
}
