package dev.holdfast.acceptance.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.device.Feed;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ProcSelf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The kernel's locks. */
class MlockPinnerTest extends PinnerContract {
  private static final long PAGE = 4096;

  @Override
  PagePinner pinner(long budgetBytes) {
    return PagePinner.mlock(budgetBytes);
  }

  @Test
  void theKernelCountsWhatThePoolSaysAndForgetsIt() {
    long before = ProcSelf.lockedBytes();
    SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(333_333, 5).pinned(PagePinner.mlock()).build();
    try (Feed feed = new Feed(pool)) {
      feed.overwrite(11, 333_333);
      assertTrue(pool.pinnedBytes() >= 5 * 333_333);
      assertEquals(before + pool.pinnedBytes(), ProcSelf.lockedBytes());
    }
    Deadlines.assertEventually("the locks are gone", () -> ProcSelf.lockedBytes() == before);
  }

  @Test
  void onlyThePagesThatNobodyHadLockedAreLockedAndUnlocked() {
    long before = ProcSelf.lockedBytes();
    PagePinner pinner = PagePinner.mlock(1 << 20);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(8 * PAGE, PAGE);
      try (PagePinner.Registration _ = pinner.register(memory.asSlice(2 * PAGE, 3 * PAGE))) {
        PagePinner.Registration whole = pinner.register(memory);
        assertEquals(before + 8 * PAGE, ProcSelf.lockedBytes());
        whole.close();
        assertEquals(before + 3 * PAGE, ProcSelf.lockedBytes());
      }
    }
    assertEquals(before, ProcSelf.lockedBytes());
  }
}
