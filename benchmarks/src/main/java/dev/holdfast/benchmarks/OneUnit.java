package dev.holdfast.benchmarks;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A unit in private memory that is written without a copy, so that codecs are measured alone. */
final class OneUnit implements ArenaWriter, OpenUnit {
  private final MemorySegment memory = Arena.ofAuto().allocate(1 << 20, 64);

  @Override
  public Placement writeBinary(MemorySegment source) {
    return new Placement(0, source.byteSize());
  }

  @Override
  public MemorySegment readBinary(long offset, long byteSize) {
    return memory.asSlice(offset, byteSize).asReadOnly();
  }

  @Override
  public void reset() {}

  @Override
  public void beginUnit() {}

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
