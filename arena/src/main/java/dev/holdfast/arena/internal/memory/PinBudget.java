package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.os.Mappings;
import dev.holdfast.arena.internal.os.MemoryLocks;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** What a pinner may lock at a time, and the checks that all pinners share. Thread-safe. */
public final class PinBudget {
  private static final long LOOKED_AT_FROM = 16L << 20;

  private final long limitBytes;
  private final AtomicLong inUse = new AtomicLong();

  /** Makes a budget; throws IllegalArgumentException when it is not positive. */
  public PinBudget(long limitBytes) {
    if (limitBytes <= 0) {
      throw new IllegalArgumentException("a budget must be positive: budgetBytes=" + limitBytes);
    }
    this.limitBytes = limitBytes;
  }

  /** Fails unless memory can be registered at all. */
  public static void requirePages(MemorySegment memory) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          "memory on the heap cannot be page-locked: bytes=" + memory.byteSize());
    }
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory's scope has ended");
    }
    if (memory.byteSize() > 0 && memory.address() % PageSize.BYTES != 0) {
      throw new IllegalArgumentException(
          "page-locked memory must begin at a page: address=0x%x pageBytes=%d"
              .formatted(memory.address(), PageSize.BYTES));
    }
  }

  /**
   * Fails when bringing in the pages that are not in memory yet would end in the OOM killer:
   * page-locking touches them all, and who touches too much is killed and not told.
   */
  public static void requireRoom(MemorySegment memory) {
    if (memory.byteSize() < LOOKED_AT_FROM) {
      return;
    }
    long missing = MemoryLocks.missingBytes(memory);
    if (missing < LOOKED_AT_FROM) {
      return;
    }
    SpaceCheck.Limit tightest = SpaceCheck.tightestOfMemory();
    if (tightest.freeBytes() < missing) {
      throw new PinningException(
          FailureDetail.of("there is not enough memory to page-lock so much")
              .with("askedBytes", memory.byteSize())
              .with("missingBytes", missing)
              .with("bytesFree", tightest.freeBytes())
              .with("limit", tightest.name())
              .advise("lock less, raise that limit, or go on unpinned by leaving out pinned(..)"));
    }
  }

  /** Takes bytes out of the budget, or fails. */
  public void take(long bytes) {
    long used = inUse.get();
    while (bytes <= limitBytes - used) {
      if (inUse.compareAndSet(used, used + bytes)) {
        return;
      }
      used = inUse.get();
    }
    throw new PinningException(
        FailureDetail.of("page-locking would exceed the pinner's budget")
            .with("askedBytes", bytes)
            .with("budgetBytes", limitBytes)
            .with("inUseBytes", used)
            .advise("raise the budget, or go on unpinned by leaving out pinned(..)"));
  }

  /** Gives bytes back. */
  public void giveBack(long bytes) {
    inUse.addAndGet(-bytes);
  }

  /** Returns the bytes taken now. */
  public long inUseBytes() {
    return inUse.get();
  }

  private static final class PageSize {
    static final long BYTES = Mappings.pageSize();
  }
}
