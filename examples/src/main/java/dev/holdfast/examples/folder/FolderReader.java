package dev.holdfast.examples.folder;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Maps the file of each unit and removes its name: the disk's space goes with the last view. */
final class FolderReader implements ArenaReader {
  private final FolderArena arena;
  private long next;

  FolderReader(FolderArena arena) {
    this.arena = arena;
  }

  @Override
  public void reset() {}

  /** A unit is found by its number, never by counting files; anything unexpected is an error. */
  @Override
  public void admit(UnitReceipt receipt) {
    if (!receipt.arenaId().equals(arena.arenaId()) || receipt.unit() != next) {
      throw new ArenaCorruptedException(
          FailureDetail.of("the receipt is not the next one")
              .with("arena", arena.arenaId())
              .with("unit", receipt.unit())
              .with("expected", next));
    }
    next++;
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // the lease closes it
  public OpenUnit beginUnit(UnitReceipt receipt, ViewScope scope) {
    Arena views =
        switch (scope) {
          case COLLECTED -> Arena.ofAuto();
          case CONFINED -> Arena.ofConfined();
          case SHARED -> Arena.ofShared();
        };
    return new MappedUnit(map(receipt, views), views, scope);
  }

  private MemorySegment map(UnitReceipt receipt, Arena views) {
    Path path = arena.unit(receipt.unit());
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment bytes = file.map(FileChannel.MapMode.READ_ONLY, 0, receipt.span(), views);
      Files.delete(path);
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void discard(UnitReceipt receipt) {
    try {
      Files.deleteIfExists(arena.unit(receipt.unit()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean zeroCopy() {
    return true;
  }

  @Override
  public void close() {}

  /** A unit while it is restored: all its views are slices of one mapping. */
  private record MappedUnit(MemorySegment bytes, Arena views, ViewScope scope) implements OpenUnit {
    @Override
    public MemorySegment readBinary(long offset, long byteSize) {
      if (offset < 0 || byteSize < 0 || byteSize > bytes.byteSize() - offset) {
        throw new ArenaCorruptedException(
            FailureDetail.of("a binary does not lie in its unit")
                .with("offset", offset)
                .with("byteSize", byteSize)
                .with("span", bytes.byteSize()));
      }
      return bytes.asSlice(offset, byteSize);
    }

    @Override
    public UnitLease endUnit(List<?> anchors) {
      return new MappedLease(bytes, views, scope, anchors);
    }
  }
}
