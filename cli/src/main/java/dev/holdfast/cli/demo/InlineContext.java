package dev.holdfast.cli.demo;

import dev.holdfast.loader.WorkerContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Lets a source run in this process: memory for an item is good until the item ends. One thread's.
 */
final class InlineContext implements WorkerContext {
  private @Nullable Arena item;

  @Override
  public int index() {
    return 0;
  }

  @Override
  public int count() {
    return 1;
  }

  @Override
  public long seed() {
    return 0;
  }

  @Override
  public boolean stopRequested() {
    return false;
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // closed when the item ends
  public MemorySegment allocate(long byteSize) {
    Arena arena = item;
    if (arena == null) {
      arena = Arena.ofConfined();
      item = arena;
    }
    return arena.allocate(byteSize, 64);
  }

  void endItem() {
    Arena arena = item;
    item = null;
    if (arena != null) {
      arena.close();
    }
  }
}
