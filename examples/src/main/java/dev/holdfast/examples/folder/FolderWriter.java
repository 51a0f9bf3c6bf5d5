package dev.holdfast.examples.folder;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitReceipt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Writes each unit to a file, which gets its name when the unit is committed. */
final class FolderWriter implements ArenaWriter {
  private static final long POLL_MILLIS = 5;
  private static final long ALIGNMENT = 64;

  private final FolderArena arena;
  private Runnable check = () -> {};
  private @Nullable FileChannel draft;
  private long published;
  private long end;

  FolderWriter(FolderArena arena) {
    this.arena = arena;
  }

  @Override
  public void whileWaiting(Runnable newCheck) {
    check = newCheck;
  }

  @Override
  public void reset() {
    abortUnit();
  }

  @Override
  public void beginUnit() {
    while (arena.isFull()) {
      check.run(); // throws when the consumer has left, or this worker is to end
      if (arena.isShutDown()) {
        throw new ArenaClosedException(
            FailureDetail.of("the arena is shut down").with("arena", arena.arenaId()));
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new HoldfastInterruptedException(
            FailureDetail.of("interrupted while waiting").with("arena", arena.arenaId()));
      }
    }
    try {
      draft =
          FileChannel.open(
              arena.draft(),
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      end = 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    FileChannel file = openDraft();
    long offset = (end + ALIGNMENT - 1) & -ALIGNMENT;
    try (Arena mapped = Arena.ofConfined()) {
      MemorySegment target =
          file.map(FileChannel.MapMode.READ_WRITE, offset, source.byteSize(), mapped);
      target.copyFrom(source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    end = offset + source.byteSize();
    return new Placement(offset, source.byteSize());
  }

  @Override
  public UnitReceipt commitUnit() {
    try {
      openDraft().close();
      // whole or not there at all
      Files.move(arena.draft(), arena.unit(published), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    draft = null;
    return new UnitReceipt(arena.arenaId(), 0, published++, end);
  }

  @Override
  public void abortUnit() {
    FileChannel file = draft;
    draft = null;
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public long published() {
    return published;
  }

  @Override
  public void close() {
    abortUnit();
  }

  private FileChannel openDraft() {
    FileChannel file = draft;
    if (file == null) {
      throw new IllegalStateException("no unit is open");
    }
    return file;
  }
}
