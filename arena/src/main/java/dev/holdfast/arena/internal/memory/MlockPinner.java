package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.MemoryLocks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Locks pages with mlock(2).
 *
 * <p>Locks of the kernel do not nest: one munlock undoes any number of mlocks of the same page. So
 * what is locked already, by another library or another registration, is found out first and left
 * alone, here and when the registration ends. One lock for all pinners of the process keeps the
 * finding true until it is acted on.
 */
public final class MlockPinner implements PagePinner {
  private static final Object LOCK = new Object();

  private final PinBudget budget;

  /** See {@link PagePinner#mlock(long)}. */
  public MlockPinner(long budgetBytes) {
    this.budget = new PinBudget(budgetBytes);
  }

  @Override
  public Registration register(MemorySegment memory) {
    PinBudget.requirePages(memory);
    if (memory.byteSize() == 0) {
      return new NoRegistration();
    }
    PinBudget.requireRoom(memory);
    synchronized (LOCK) {
      List<MemorySegment> ours = LockedPages.unlockedParts(memory);
      long bytes = total(ours);
      budget.take(bytes);
      Locked locked = new Locked(budget, memory.byteSize(), bytes, ours.isEmpty());
      try {
        for (MemorySegment part : ours) {
          locked.parts.add(part);
          MemoryLocks.lock(part);
        }
        return locked;
      } catch (ErrnoException e) {
        PinningException failure = refused(memory.byteSize(), bytes, e);
        locked.endAfter(failure); // a refused mlock can have locked some pages
        throw failure;
      } catch (RuntimeException | Error e) {
        locked.endAfter(e);
        throw e;
      }
    }
  }

  private static long total(List<MemorySegment> parts) {
    return parts.stream().mapToLong(MemorySegment::byteSize).sum();
  }

  private static PinningException refused(long asked, long missing, ErrnoException e) {
    long limit = ProcFiles.lockedMemoryLimit();
    FailureDetail detail =
        FailureDetail.of("memory cannot be locked")
            .with("askedBytes", asked)
            .with("limit", "RLIMIT_MEMLOCK")
            .with("limitBytes", limit == Long.MAX_VALUE ? "unlimited" : limit)
            .with("lockedBytes", LockedPages.lockedBytes())
            .with("missingBytes", missing)
            .with("error", String.valueOf(e.getMessage()));
    return new PinningException(
        detail.advise(
            "raise the limit (ulimit -l, LimitMEMLOCK, CAP_IPC_LOCK), or go on unpinned by leaving out"
                + " pinned(..)"),
        e);
  }

  @Override
  public String toString() {
    return "mlock";
  }

  private static final class Locked implements Registration {
    private final PinBudget budget;
    private final long byteSize;
    private final long budgetBytes;
    private final boolean foreign;
    private final List<MemorySegment> parts = new ArrayList<>(); // guarded by LOCK
    private boolean active = true; // guarded by LOCK

    Locked(PinBudget budget, long byteSize, long budgetBytes, boolean foreign) {
      this.budget = budget;
      this.byteSize = byteSize;
      this.budgetBytes = budgetBytes;
      this.foreign = foreign;
    }

    void endAfter(Throwable failure) {
      try {
        close();
      } catch (PinningException left) {
        failure.addSuppressed(new UnendedRegistration(this, left));
      }
    }

    @Override
    public long byteSize() {
      return byteSize;
    }

    @Override
    public boolean isForeign() {
      return foreign;
    }

    @Override
    public boolean isActive() {
      synchronized (LOCK) {
        return active;
      }
    }

    @Override
    public void close() {
      synchronized (LOCK) {
        if (!active) {
          return;
        }
        while (!parts.isEmpty()) {
          try {
            MemoryLocks.unlock(parts.getLast());
          } catch (ErrnoException e) {
            throw new PinningException(
                FailureDetail.of("memory cannot be unlocked")
                    .with("bytes", byteSize)
                    .with("error", String.valueOf(e.getMessage()))
                    .advise("it stays locked and mapped, and unlocking is tried again"),
                e);
          }
          parts.removeLast();
        }
        active = false;
        budget.giveBack(budgetBytes);
      }
    }
  }
}
