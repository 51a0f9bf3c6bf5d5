package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import java.lang.foreign.MemorySegment;

/** The writer of a {@link FileSlotArena}: one thread, one open unit. */
final class SlotWriter implements ArenaWriter {
  private static final long POLL_MILLIS = 5;

  private final FileSlotArena arena;
  private final SlotFile file;
  private Runnable check = () -> {};
  private boolean open;
  private long used;
  private boolean closed;

  SlotWriter(FileSlotArena arena) {
    this.arena = arena;
    this.file = arena.shared();
  }

  @Override
  public void reset() {
    open = false;
  }

  @Override
  public void beginUnit() {
    checkUsable();
    if (open) {
      throw new IllegalStateException("a unit is open already");
    }
    long start = System.nanoTime();
    while (file.get(SlotFile.PUBLISHED) - file.get(SlotFile.RECLAIMED) >= file.slots()) {
      check.run();
      checkUsable();
      if (file.get(SlotFile.SHUTDOWN) != 0) {
        throw new ArenaClosedException(
            FailureDetail.of("the arena was shut down").with("arena", arena.arenaId()));
      }
      long waited = System.nanoTime() - start;
      if (waited >= arena.waitNanos()) {
        throw new AcquireTimeoutException(
            FailureDetail.of("no slot became free")
                .with("waitedNanos", waited)
                .with("slots", file.slots())
                .advise("give units back earlier or use more slots"));
      }
      pause();
    }
    open = true;
    used = 0;
  }

  private void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoldfastInterruptedException(
          FailureDetail.of("interrupted while waiting").with("arena", arena.arenaId()));
    }
  }

  private void checkUsable() {
    arena.checkOpen();
    if (closed) {
      throw new ArenaClosedException(
          FailureDetail.of("the writer is closed").with("arena", arena.arenaId()));
    }
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    checkOpenUnit();
    if (source.byteSize() > file.slotBytes() - used) {
      open = false;
      throw new UnitTooLargeException(
          FailureDetail.of("a unit does not fit its slot")
              .with("bytes", used + source.byteSize())
              .with("slotBytes", file.slotBytes())
              .advise("use larger slots"));
    }
    long offset = used;
    MemorySegment slot = file.slot(published());
    MemorySegment.copy(source, 0, slot, offset, source.byteSize());
    used += source.byteSize();
    return new Placement(offset, source.byteSize());
  }

  private void checkOpenUnit() {
    if (!open) {
      throw new IllegalStateException("no unit is open");
    }
  }

  @Override
  public UnitReceipt commitUnit() {
    checkOpenUnit();
    open = false;
    long unit = published();
    file.set(SlotFile.PUBLISHED, unit + 1);
    return new UnitReceipt(arena.arenaId(), 0, unit, used);
  }

  @Override
  public void abortUnit() {
    open = false;
  }

  @Override
  public long published() {
    return file.get(SlotFile.PUBLISHED);
  }

  @Override
  public void whileWaiting(Runnable newCheck) {
    check = newCheck;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      open = false;
      file.set(SlotFile.WRITER_PID, 0);
    }
  }
}
