package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a source fills for its next item: in the open unit where the arena has that, else
 * ordinary memory that ends with the item just the same. The iterating thread's.
 */
final class FillMemory {
  private static final long ALIGNMENT = 64;

  private final @Nullable ArenaWriter inPlace;
  private final ViewScope scope;
  private final List<Arena> refused = new ArrayList<>();

  private @Nullable Arena ordinary;
  private boolean inUnit;

  FillMemory(@Nullable ArenaWriter writer, boolean shared) {
    this.inPlace = writer != null && writer.fillsInPlace() ? writer : null;
    this.scope = shared ? ViewScope.SHARED : ViewScope.CONFINED;
  }

  /** Returns whether memory lies in the open unit, so that one has to be open. */
  boolean needsUnit() {
    return inPlace != null;
  }

  /** Returns whether the item has memory in the open unit, which is lost when that is aborted. */
  boolean isInUnit() {
    return inUnit;
  }

  MemorySegment allocate(long byteSize) {
    ArenaWriter writer = inPlace;
    if (writer != null) {
      MemorySegment memory = writer.allocate(byteSize, ALIGNMENT, scope);
      inUnit = true;
      return memory;
    }
    Arena arena = ordinary;
    if (arena == null) {
      arena = begin();
      ordinary = arena;
    }
    return arena.allocate(byteSize, ALIGNMENT);
  }

  @SuppressWarnings("MustBeClosedChecker") // ended with the item
  private Arena begin() {
    return scope == ViewScope.SHARED ? Arena.ofShared() : Arena.ofConfined();
  }

  /** Ends ordinary memory, as committing the unit ends the other. Refused while it is in use. */
  void end() {
    Arena arena = ordinary;
    if (arena != null) {
      try {
        arena.close();
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            "memory of the item is in use by a native call or a channel operation; end that before"
                + " the item is yielded",
            e);
      }
      ordinary = null;
    }
  }

  /** Ends what is left of an item that was sent or given up, later when it is refused now. */
  void discard() {
    inUnit = false;
    Arena arena = ordinary;
    if (arena != null) {
      ordinary = null;
      refused.add(arena);
    }
    if (!refused.isEmpty()) {
      refused.removeIf(FillMemory::ended);
    }
  }

  private static boolean ended(Arena arena) {
    try {
      arena.close();
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }
}
