package dev.holdfast.arena.payload;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * One unit in native memory that the collector frees: a writer and an open unit at once. Counts
 * what is asked of it.
 */
final class FakeUnit implements ArenaWriter, OpenUnit, AutoCloseable {
  private final MemorySegment memory;
  private final boolean writableViews;

  private long end;
  int written;
  int views;
  int peeks;
  RuntimeException failure;

  FakeUnit(long capacity) {
    this(capacity, false);
  }

  FakeUnit(long capacity, boolean writableViews) {
    this.memory = Arena.ofAuto().allocate(capacity, 64);
    this.writableViews = writableViews;
  }

  @Override
  public Placement writeBinary(MemorySegment source) {
    if (failure != null) {
      throw failure;
    }
    long offset = (end + 63) & -64;
    MemorySegment.copy(source, 0, memory, offset, source.byteSize());
    end = offset + source.byteSize();
    written++;
    return new Placement(offset, source.byteSize());
  }

  void rewind() {
    end = 0;
    written = 0;
    views = 0;
    peeks = 0;
  }

  MemorySegment memory() {
    return memory;
  }

  @Override
  public MemorySegment readBinary(long offset, long byteSize) {
    views++;
    return range(offset, byteSize);
  }

  @Override
  public MemorySegment peekBinary(long offset, long byteSize) {
    peeks++;
    return range(offset, byteSize).asReadOnly();
  }

  private MemorySegment range(long offset, long byteSize) {
    try {
      Objects.checkFromIndexSize(offset, byteSize, end);
    } catch (IndexOutOfBoundsException e) {
      throw new ArenaCorruptedException(FailureDetail.of("a range leaves the unit"), e);
    }
    MemorySegment range = memory.asSlice(offset, byteSize);
    return writableViews ? range : range.asReadOnly();
  }

  @Override
  public void reset() {}

  @Override
  public void beginUnit() {
    rewind();
  }

  @Override
  public UnitReceipt commitUnit() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void abortUnit() {}

  @Override
  public long published() {
    return 0;
  }

  @Override
  public UnitLease endUnit(List<?> anchors) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
