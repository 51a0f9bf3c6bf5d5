package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The reader of a {@link FileSlotArena}. Thread-safe; slots go back in the order of their units.
 */
final class SlotReader implements ArenaReader {
  private static final long ALIGNMENT = 64;

  private final FileSlotArena arena;
  private final SlotFile file;
  private final Set<Long> admitted = new HashSet<>();
  private final Set<Long> released = new HashSet<>();
  private long next;
  private boolean closed;
  private boolean claimed = true;

  SlotReader(FileSlotArena arena) {
    this.arena = arena;
    this.file = arena.shared();
    this.next = file.get(SlotFile.RECLAIMED);
  }

  @Override
  public void reset() {}

  @Override
  public synchronized void admit(UnitReceipt receipt) {
    checkUsable();
    boolean expected =
        receipt.arenaId().equals(arena.arenaId())
            && receipt.generation() == 0
            && receipt.unit() == next
            && receipt.unit() < file.get(SlotFile.PUBLISHED)
            && receipt.span() >= 0
            && receipt.span() <= file.slotBytes();
    if (!expected) {
      throw new ArenaCorruptedException(
          FailureDetail.of("not the receipt that comes next")
              .with("unit", receipt.unit())
              .with("expected", next)
              .with("span", receipt.span()));
    }
    admitted.add(next);
    next++;
  }

  private void checkUsable() {
    arena.checkOpen();
    if (closed) {
      throw new ArenaClosedException(
          FailureDetail.of("the reader is closed").with("arena", arena.arenaId()));
    }
  }

  private void take(UnitReceipt receipt) {
    if (!receipt.arenaId().equals(arena.arenaId()) || !admitted.remove(receipt.unit())) {
      throw new IllegalStateException(
          "not admitted, or opened or discarded before: unit=" + receipt.unit());
    }
  }

  private synchronized void release(long unit) {
    released.add(unit);
    long reclaimed = file.get(SlotFile.RECLAIMED);
    while (released.remove(reclaimed)) {
      reclaimed++;
      file.set(SlotFile.RECLAIMED, reclaimed);
    }
    giveClaimBack();
  }

  private void giveClaimBack() {
    if (closed && claimed && next == file.get(SlotFile.RECLAIMED)) {
      claimed = false;
      file.set(SlotFile.READER_PID, 0);
    }
  }

  @Override
  public synchronized OpenUnit beginUnit(UnitReceipt receipt, ViewScope scope) {
    checkUsable();
    take(receipt);
    return new SlotUnit(receipt, scope, viewsOf(scope));
  }

  /** The lease closes what is opened here. */
  @SuppressWarnings("MustBeClosedChecker")
  private static Arena viewsOf(ViewScope scope) {
    return switch (scope) {
      case COLLECTED -> Arena.ofAuto();
      case CONFINED -> Arena.ofConfined();
      case SHARED -> Arena.ofShared();
    };
  }

  @Override
  public void discard(UnitReceipt receipt) {
    synchronized (this) {
      take(receipt);
    }
    release(receipt.unit());
  }

  @Override
  public boolean zeroCopy() {
    return false;
  }

  @Override
  public synchronized void close() {
    closed = true;
    giveClaimBack();
  }

  /** One unit while it is copied out. */
  private final class SlotUnit implements OpenUnit {
    private final UnitReceipt receipt;
    private final ViewScope scope;
    private final Arena views;
    private final MemorySegment copy;
    private boolean ended;

    SlotUnit(UnitReceipt receipt, ViewScope scope, Arena views) {
      this.receipt = receipt;
      this.scope = scope;
      this.views = views;
      this.copy = Arena.ofAuto().allocate(Math.max(1, receipt.span()));
      MemorySegment.copy(file.slot(receipt.unit()), 0, copy, 0, receipt.span());
    }

    @Override
    public MemorySegment readBinary(long offset, long byteSize) {
      if (offset < 0 || byteSize < 0 || offset > receipt.span() - byteSize) {
        throw new ArenaCorruptedException(
            FailureDetail.of("a binary does not lie in its unit")
                .with("offset", offset)
                .with("bytes", byteSize)
                .with("span", receipt.span()));
      }
      MemorySegment view = views.allocate(Math.max(1, byteSize), ALIGNMENT).asSlice(0, byteSize);
      return view.copyFrom(copy.asSlice(offset, byteSize)).asReadOnly();
    }

    @Override
    public UnitLease endUnit(List<?> anchors) {
      if (ended) {
        throw new IllegalStateException("the unit was ended before");
      }
      ended = true;
      release(receipt.unit());
      return new CopyLease(scope, views, copy.asSlice(0, receipt.span()).asReadOnly(), anchors);
    }
  }
}
